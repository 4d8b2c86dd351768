"""Mock tools: examples, made-up answers, streams, pages, content, confirmation, scopes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from toolgen.runtime.validation.compiled_schema import compile_schema
from toolgen.testing import mock_toolkit

from tests.runtime.tool_factory import code_of
from tests.samples import load_beside
from tests.scopes import Agreeing
from tests.testing.mock_samples import ORDER, call, how, write_specs


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write_specs(tmp_path / "shop", order=ORDER)


def test_a_call_that_matches_an_example_gets_its_output(shop: Path) -> None:
    response = call(shop, "order", {"count": 2.0, "article": "brakes"})
    assert response.content == {"number": 7, "article": "brakes", "price": 12.5}
    assert how(response) == {"example": "brakes"}


def test_a_call_that_matches_an_example_gets_its_error(shop: Path) -> None:
    response = call(shop, "order", {"article": "saddle"})
    assert response.error is not None
    assert response.error.as_dict() == {
        "code": "out_of_stock",
        "message": "None is left.",
        "retryable": True,
        "hint": "Ask again tomorrow.",
        "details": None,
    }
    assert how(response) == {"example": "none left"}


@pytest.mark.parametrize("article", ["chain", "bell"])
def test_any_other_call_gets_a_valid_answer(shop: Path, article: str) -> None:
    response = call(shop, "order", {"article": article})
    schema = mock_toolkit(shop).definitions["order"]["output_schema"]
    assert compile_schema(schema).accepts(response.content)
    assert response.content["article"] == article  # as the request has it
    assert how(response) == {"made_up": True}


def test_made_up_answers_depend_on_tool_request_and_seed_alone(shop: Path) -> None:
    def contents(seed: int) -> list[Any]:
        return [
            call(shop, "order", {"article": name}, mock={"seed": seed}).content for name in ("a", "b", "c")
        ]

    assert contents(1) == contents(1)
    assert contents(1) != contents(2)
    assert len({str(each) for each in contents(1)}) == 3


def test_scopes_are_needed_as_in_production(tmp_path: Path) -> None:
    folder = write_specs(tmp_path / "shop", order=f"{ORDER}auth: {{scopes: [orders]}}\n")
    arguments = {"article": "brakes", "count": 2}
    refused = call(folder, "order", arguments)
    assert code_of(refused) == "insufficient_scope"
    assert call(folder, "order", arguments, scopes={"orders"}).success


@pytest.mark.parametrize(
    ("arguments", "preview"),
    [
        ({"article": "brakes", "count": 2}, '{"number": 7, "article": "brakes", "price": 12.5}'),
        ({"article": "saddle"}, "out_of_stock"),
        ({"article": "bell"}, '"article": "bell"'),
    ],
)
def test_confirmations_ask_with_a_preview(tmp_path: Path, arguments: Any, preview: str) -> None:
    folder = write_specs(
        tmp_path / "shop", order=f'{ORDER}confirm: {{message: "Order {{article}}?", preview: true}}\n'
    )
    user = Agreeing()
    response = call(folder, "order", arguments, confirm=user)
    assert [each.message for each in user.asked] == [f"Order {arguments['article']}?"]
    assert preview in str(user.asked[0].preview)
    assert response.error is None or response.error.code == "out_of_stock"
    denied = call(folder, "order", arguments)
    assert code_of(denied) == "confirmation_required"


def test_people_with_test_keys_approve_calls_that_are_repeated(tmp_path: Path) -> None:
    confirm = 'confirm: {message: "Order {article}?", proof: person, approvers: [ops], quorum: 2}'
    toolkit = mock_toolkit(write_specs(tmp_path / "shop", order=f"{ORDER}{confirm}\n"))
    waiting, done = (toolkit.call_sync("order", {"article": "bell"}) for _ in range(2))
    assert code_of(waiting) == "confirmation_required"
    assert waiting.metadata["approval"]["url"] in str(waiting.error)
    assert done.content["article"] == "bell"


STREAM = """\
name: read
description: Read a file.
input_schema: {type: object, properties: {path: {type: string}}}
"""


def chunks_of(folder: Path, arguments: Any, **options: Any) -> list[Any]:
    return [*mock_toolkit(folder).stream_sync("read", arguments, **options)]


@pytest.mark.parametrize(("output", "chunk", "answer", "chunks"), load_beside(__file__, "chunks.yaml"))
def test_chunks_add_up_to_the_response(
    tmp_path: Path, output: str, chunk: str, answer: Any, chunks: list[Any]
) -> None:
    spec = (
        f"{STREAM}output_schema: {output}\nstream: {{chunk_schema: {chunk}}}\n"
        f"examples: [{{name: it, input: {{path: x}}, output: {answer!r}}}]\n"
    )
    folder = write_specs(tmp_path / "shop", read=spec)
    *received, response = chunks_of(folder, {"path": "x"})
    assert received == chunks
    assert response.content == answer
    *_, made_up = chunks_of(folder, {"path": "y"})
    assert made_up.success, made_up.error


PAGED = Path(__file__).with_name("paged.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    "cursor", ["{type: string}", "{type: [string, 'null']}", "{type: string, minLength: 4}"]
)
def test_pages_end(tmp_path: Path, cursor: str) -> None:
    folder = write_specs(tmp_path / "shop", find=PAGED.replace("CURSOR", cursor))
    pages: list[Any] = []
    asked: dict[str, Any] = {"words": "bike"}
    while len(pages) < 10:
        response = call(folder, "find", asked)
        assert response.success, response.error
        pages.append(response.content["items"])
        following = response.content.get("next")
        if following is None:
            break
        asked = {"words": "bike", "cursor": following}
    assert len(pages) == 3
    assert len({str(each) for each in pages}) == 3


def test_results_have_the_declared_content(tmp_path: Path) -> None:
    spec = Path(__file__).with_name("draw.yaml").read_text("utf-8")
    response = call(write_specs(tmp_path / "shop", draw=spec), "draw", {})
    assert response.success, response.error
    assert [(each.type, each.media_type) for each in response.blocks] == [
        ("image", "image/jpeg"),
        ("audio", "audio/wav"),
        ("audio", "audio/wav"),
        ("file", "application/zip"),
        ("link", "text/html"),
        ("text", "text/markdown"),
    ]


@pytest.mark.parametrize("schema", ["{not: {}}", "{type: integer, minimum: 2, maximum: 1}"])
def test_an_output_that_no_value_satisfies_is_an_error(tmp_path: Path, schema: str) -> None:
    spec = f"name: never\ndescription: Never.\ninput_schema: {{type: object}}\noutput_schema: {schema}\n"
    response = call(write_specs(tmp_path / "shop", never=spec), "never", {})
    assert response.error is not None
    assert response.error.as_text() == (
        "Error [not_implemented]: The mock found no value that satisfies output_schema of never.\n"
        "Hint: Add an example of this call to the tool's spec; a mock answers by the examples first."
    )
