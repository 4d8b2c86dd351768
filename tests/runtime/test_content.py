"""Images, audio, files, links and texts of a result: what an implementation may return, and what callers get."""

from __future__ import annotations

import hashlib
import logging
from typing import Any

import pytest
from toolgen.runtime import Audio, File, Image, Link, ResponseForm, Text, ToolResult, ToolSpec, ToolSpecError

from tests.runtime.content_samples import JPEG, PDF, PNG, SVG, WAV, answer, returning, returning_in_thread
from tests.runtime.tool_factory import code_of, run

IMAGES = [{"type": "image"}]
PNG_ONLY = [{"type": "image", "media_types": ["image/png"]}]
TOTAL = {"type": "object", "required": ["total"], "properties": {"total": {"type": "integer"}}}


def refusal(caplog: pytest.LogCaptureFixture, *values: Any, content: Any, **definition: Any) -> str:
    """Return the reason in the log for an answer of `invalid_response`."""
    with caplog.at_level(logging.INFO):
        response = answer(*values, content=content, **definition)
    assert code_of(response) == "invalid_response"
    assert response.blocks == ()
    return caplog.records[-1].getMessage()


def test_a_block_has_the_data_its_media_type_and_its_hash() -> None:
    response = answer(Image(PNG), content=IMAGES)
    (block,) = response.blocks
    assert (block.type, block.data, block.media_type) == ("image", PNG, "image/png")
    assert (block.size, block.sha256) == (len(PNG), hashlib.sha256(PNG).hexdigest())
    assert response.content is None


def test_a_response_comes_with_blocks_or_alone() -> None:
    both = answer(ToolResult({"total": 7}, Image(PNG)), content=IMAGES, output_schema=TOTAL)
    alone = answer({"total": 7}, content=IMAGES, output_schema=TOTAL)
    assert (both.content, [block.type for block in both.blocks]) == ({"total": 7}, ["image"])
    assert (alone.content, alone.blocks) == ({"total": 7}, ())


def test_a_tool_with_an_output_schema_needs_its_response(caplog: pytest.LogCaptureFixture) -> None:
    assert "without the response" in refusal(caplog, Image(PNG), content=IMAGES, output_schema=TOTAL)


def test_the_response_beside_blocks_is_validated(caplog: pytest.LogCaptureFixture) -> None:
    wrong = ToolResult({"total": "seven"}, Image(PNG))
    assert "$.total" in refusal(caplog, wrong, content=IMAGES, output_schema=TOTAL)


def test_a_tool_that_runs_in_a_thread_returns_blocks_too() -> None:
    response = run(returning_in_thread(Image(PNG), Text("A chart."), content="any"))
    assert [block.data for block in response.blocks] == [PNG, b"A chart."]


def test_audience_and_priority_are_those_of_the_spec_unless_the_block_has_its_own() -> None:
    content = [{"type": "image", "audience": ["user"], "priority": 0.5}]
    first, second = answer(
        Image(PNG), Image(PNG, audience=("assistant",), priority=0), content=content
    ).blocks
    assert (first.audience, first.priority) == (("user",), 0.5)
    assert (second.audience, second.priority) == (("assistant",), 0)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (Audio(WAV), "content[0]: audio (audio/wav) is not declared"),
        (Image(JPEG), "content[0]: image (image/jpeg) is not declared"),
        (Link("https://example.com"), "content[0]: link is not declared"),
        (ToolResult(None, Image(PNG), Text("x")), "content[1]: text (text/plain) is not declared"),
    ],
)
def test_an_undeclared_block_breaks_the_contract(
    value: Any, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert fault in refusal(caplog, value, content=PNG_ONLY)


def test_blocks_of_a_tool_that_declares_none_break_the_contract(caplog: pytest.LogCaptureFixture) -> None:
    for schema in (None, TOTAL):
        definition = {} if schema is None else {"output_schema": schema}
        assert code_of(answer(Image(PNG), content=[], **definition)) == "invalid_response"
        assert (
            code_of(answer(ToolResult({"total": 1}, Image(PNG)), content=[], **definition))
            == "invalid_response"
        )


@pytest.mark.parametrize(
    ("content", "values", "fault"),
    [
        ([{"type": "image", "min": 1}], (), "expected at least 1 of image, got 0"),
        ([{"type": "image", "max": 1}], (Image(PNG), Image(PNG)), "expected at most 1 of image, got 2"),
        ([{"type": "image", "max_bytes": 20}], (Image(PNG),), "cannot be read: it has more than 20 bytes"),
        ([{"type": "text", "max_bytes": 2}], (Text("abc"),), "text (text/plain) has 3 bytes, max_bytes is 2"),
    ],
)
def test_numbers_and_sizes_are_limited(
    content: Any, values: tuple[Any, ...], fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert fault in refusal(caplog, list(values), content=content)


def test_blocks_of_one_type_are_counted_by_their_media_types() -> None:
    content = [
        {"type": "image", "media_types": ["image/png"], "min": 1, "max": 1},
        {"type": "image", "media_types": ["image/*"]},
    ]
    response = answer(Image(JPEG), Image(PNG), Image(JPEG), content=content)
    assert [block.media_type for block in response.blocks] == ["image/jpeg", "image/png", "image/jpeg"]


@pytest.mark.parametrize(
    ("value", "media_type"),
    [
        (Image(PNG), "image/png"),
        (Image(JPEG), "image/jpeg"),
        (Image(SVG), "image/svg+xml"),
        (Audio(WAV), "audio/wav"),
        (File(PDF), "application/pdf"),
        (File(b"a,b\n1,2\n", name="sales.csv"), "text/csv"),
        (File(b"total: 7\n"), "text/plain"),
        (File(b"BMW 7\n"), "text/plain"),
        (File(b"\x00\xff\x13"), "application/octet-stream"),
        (File(b"a,b\n", media_type="Text/CSV; charset=utf-8"), "text/csv"),
        (Audio(WAV, media_type="audio/x-wav"), "audio/wav"),
    ],
)
def test_the_media_type_is_found_from_the_bytes_and_the_name(value: Any, media_type: str) -> None:
    assert answer(value, content="any").blocks[0].media_type == media_type


@pytest.mark.parametrize(
    "value",
    [
        Image(JPEG, media_type="image/png"),
        Image(b"plain text", media_type="image/png"),
        Image(b"<html></html>", media_type="image/svg+xml"),
        File(b"no PDF", name="order.pdf"),
    ],
)
def test_a_media_type_that_the_bytes_contradict_is_refused(
    value: Any, caplog: pytest.LogCaptureFixture
) -> None:
    assert "content[0]: the bytes are not" in refusal(caplog, value, content="any")


def test_what_is_not_content_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(TypeError, match=r"Image cannot be read from a str: give bytes, or a pathlib\.Path"):
        Image("chart.png")  # type: ignore[arg-type]
    wrong = ToolResult(None, PNG)
    assert "holds a bytes, which is not content" in refusal(caplog, wrong, content="any")


def test_the_description_says_what_comes_back() -> None:
    spec = ToolSpec(
        name="chart",
        description="Draw the sales.",
        returns="The total.",
        content=[
            {"type": "image", "media_types": ["image/png"], "description": "The chart.", "min": 1, "max": 1},
            {"type": "link", "max": 3},
        ],
    )
    assert spec.definition["description"] == (
        "Draw the sales.\n\nReturns: The total.\n\n"
        "Content of the result:\n- image (image/png), 1: The chart.\n- link, at most 3"
    )
    assert ToolSpec(name="any", description="Forward.", content="any").definition["description"] == "Forward."


def test_the_content_of_a_tool_spec_is_checked() -> None:
    wrong: Any = [{"type": "picture", "max": 0, "audience": ["users"], "priority": 2, "size": 1}, {"min": -1}]
    with pytest.raises(ToolSpecError) as caught:
        ToolSpec(name="chart", description="Draw.", content=wrong)
    assert [fault.partition(": ")[0] for fault in caught.value.faults] == [
        "content[0].type", "content[0].max", "content[0].audience[0]", "content[0].priority", "content[0]",
        "content[1].type is missing", "content[1].min",
    ]  # fmt: skip


def test_the_text_of_a_response_describes_blocks_and_never_encodes_them() -> None:
    link = Link("https://example.com/r/7", title="Report")
    response = answer(ToolResult({"total": 7}, Image(PNG, name="a.png"), link, Text("Up.")), content="any")
    assert response.as_text() == (
        '{"total":7}\n[image: image/png, a.png, 36 bytes]\n[link: Report] https://example.com/r/7\nUp.'
    )
    assert response.content_as_text() == '{"total":7}'
    assert answer(Image(PNG), content="any").content_as_text() == ""


def test_rendered_forms_have_everything_of_a_block_but_its_data() -> None:
    response = answer(Image(PNG), content=IMAGES)
    shown = response.render(ResponseForm.DICT)
    assert shown["blocks"] == [
        {"type": "image", "media_type": "image/png", "size": 36, "sha256": response.blocks[0].sha256}
    ]
    assert "content" not in shown
    assert "blocks" not in run(returning(1, content=[])).render(ResponseForm.DICT)
