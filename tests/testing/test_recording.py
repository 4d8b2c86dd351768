"""Examples recorded from a real server: what is written, and what is not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import yaml
from mcp_types import CallToolResult
from toolgen.project import load_targets
from toolgen.project.building.spec_source import find_specs
from toolgen.runtime import Toolkit
from toolgen.runtime.logs.secret_texts import without_secret_texts
from toolgen.testing.mock.contracts import MockContract, read_contracts
from toolgen.testing.mock.recording import (
    MAX_EXAMPLES,
    NotRecordedError,
    RecordedCall,
    Recorder,
    secret_values,
    with_example,
)
from toolgen.testing.mock.recording_tool import recording_tool

from tests.processes import processor_limit
from tests.testing.mock_samples import ORDER, write_specs

OUTPUT = {"number": 9, "article": "bell", "price": 3}


def shop(tmp_path: Path, spec: str = ORDER) -> Path:
    return write_specs(tmp_path / "shop", order=spec)


def contract_of(folder: Path) -> MockContract:
    source = find_specs(folder)
    return read_contracts(source.texts(), load_targets(source.project), source.prefix).tools[0]


def record(folder: Path, call: RecordedCall, **options: Any) -> str:
    return Recorder(folder, **options).record(contract_of(folder), call)


def spec_of(folder: Path) -> str:
    return (folder / "specs" / "order.yaml").read_text()


def test_a_call_that_is_only_previewed_is_answered_by_the_server(tmp_path: Path) -> None:
    spec = ORDER.replace("  properties:", "  properties:\n    go: {type: boolean, default: false}", 1)
    folder = shop(tmp_path, spec + "confirm: {message: Order it?, preview: true, only_if: /go}\n")
    passed_on: list[Any] = []

    class Server:
        source = "a server"

        async def call(self, name: str, arguments: Any) -> CallToolResult:
            passed_on.append(arguments)
            return CallToolResult(content=[], structured_content=OUTPUT)

        async def close(self) -> None:
            pass

    upstream: Any = Server()
    toolkit = Toolkit([recording_tool(contract_of(folder), upstream, Recorder(folder), print)])
    assert asyncio.run(toolkit.call("order", {"article": "bell"})).content == OUTPUT
    assert not asyncio.run(toolkit.call("order", {"article": "bell", "go": True})).success
    assert passed_on == [{"article": "bell"}]


def test_a_call_is_appended_and_no_other_line_changes(tmp_path: Path) -> None:
    folder = shop(tmp_path, ORDER + "# the end\n")
    assert record(folder, RecordedCall({"article": "bell"}, OUTPUT)) == "recorded 1"
    lines = spec_of(folder).splitlines()
    assert [line for line in lines if line in ORDER.splitlines()] == ORDER.splitlines()
    assert lines[-1] == "# the end"
    assert yaml.safe_load(spec_of(folder))["examples"][-1] == {
        "name": "recorded 1",
        "description": "Recorded from a server; review it.",
        "input": {"article": "bell"},
        "output": OUTPUT,
    }
    assert contract_of(folder).examples[-1].output == OUTPUT


def test_a_declared_error_is_recorded(tmp_path: Path) -> None:
    folder = shop(tmp_path)
    record(folder, RecordedCall({"article": "wheel"}, error="out_of_stock"))
    assert yaml.safe_load(spec_of(folder))["examples"][-1]["error"] == "out_of_stock"


def test_a_spec_without_examples_gets_the_first_one(tmp_path: Path) -> None:
    bare = ORDER.partition("examples:")[0]
    folder = shop(tmp_path, bare)
    record(folder, RecordedCall({"article": "bell"}, OUTPUT))
    assert spec_of(folder).startswith(bare.rstrip("\n"))
    assert len(contract_of(folder).examples) == 1


@pytest.mark.parametrize("style", ["examples: []\n", "examples: [{name: one, input: {article: x}}]\n"])
def test_examples_in_flow_style_are_extended(tmp_path: Path, style: str) -> None:
    folder = shop(tmp_path, ORDER.partition("examples:")[0] + style)
    before = len(contract_of(folder).examples)
    record(folder, RecordedCall({"article": "bell"}, OUTPUT))
    assert len(contract_of(folder).examples) == before + 1


@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_line_ends_and_byte_order_mark_stay(bom: str) -> None:
    text = bom + ORDER.replace("\n", "\r\n")
    _, changed = with_example(text, "order", RecordedCall({"article": "bell"}, OUTPUT))
    assert changed.startswith(text.rstrip())
    assert changed.count("\n") == changed.count("\r\n")


def test_an_example_of_the_same_input_is_never_overwritten(tmp_path: Path) -> None:
    folder = shop(tmp_path)
    with pytest.raises(NotRecordedError) as refused:
        record(folder, RecordedCall({"count": 2, "article": "brakes"}, OUTPUT))
    assert str(refused.value) == ""
    assert spec_of(folder) == ORDER


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (RecordedCall({"article": "bell"}, {"number": "nine"}), "its output is not valid by output_schema"),
        (RecordedCall({"article": "bell"}, None), "its output is not valid by output_schema"),
        (RecordedCall({"article": ""}, OUTPUT), "its input is not valid by input_schema"),
        (RecordedCall({"article": "bell"}, error="sold"), "the spec does not declare the error sold"),
        (
            RecordedCall({"article": "bell"}, {**OUTPUT, "article": "x" * 30_000}),
            "at most 20,000 are recorded",
        ),
    ],
)
def test_calls_that_break_the_contract_or_are_large_are_not_recorded(
    tmp_path: Path, call: RecordedCall, reason: str
) -> None:
    folder = shop(tmp_path)
    with pytest.raises(NotRecordedError, match=reason):
        record(folder, call)
    assert spec_of(folder) == ORDER


@pytest.mark.parametrize("path", ["specs", "specs/order.yaml"])
def test_nothing_is_recorded_outside_the_project(tmp_path: Path, path: str) -> None:
    folder = shop(tmp_path)
    contract = contract_of(folder)
    moved = (folder / path).rename(tmp_path / "moved")
    (folder / path).symlink_to(moved)
    with pytest.raises(NotRecordedError, match=f"{path} is a link that leaves shop"):
        Recorder(folder).record(contract, RecordedCall({"article": "bell"}, OUTPUT))
    assert spec_of(folder) == ORDER


def test_few_examples_are_recorded(tmp_path: Path) -> None:
    folder = shop(tmp_path)
    contract, recorder = contract_of(folder), Recorder(folder)
    for number in range(MAX_EXAMPLES):
        recorder.record(contract, RecordedCall({"article": f"bell {number}"}, OUTPUT))
    with pytest.raises(NotRecordedError, match="20 examples of order have been recorded"):
        recorder.record(contract, RecordedCall({"article": "one more"}, OUTPUT))


@pytest.mark.parametrize(
    "secret",
    [
        "Bearer abcdefghijkl",
        "sk-abcdefghijklmnop",
        "ghp_0123456789abcdef",
        "eyJhbGciOi.eyJzdWIiOi.c2ln",
        "AKIA0123456789ABCDEF",
        "of the environment",
        "of the spec",
    ],
)
def test_secrets_are_masked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "of the environment")
    monkeypatch.setenv("SHOP_ACCESS", "of the spec")
    folder = shop(tmp_path, ORDER.replace("examples:", "auth: {secrets: [SHOP_ACCESS]}\nexamples:"))
    call = RecordedCall({"article": f"a {secret}"}, {**OUTPUT, "article": f"<{secret}>"})
    record(folder, call, secrets=secret_values())
    recorded = yaml.safe_load(spec_of(folder))["examples"][-1]
    assert (recorded["input"]["article"], recorded["output"]["article"]) == ("a [secret]", "<[secret]>")


def test_values_are_masked_by_their_names(tmp_path: Path) -> None:
    free = ORDER.replace("  additionalProperties: false\n", "")
    folder = shop(tmp_path, free)
    output = {
        **OUTPUT,
        "api_key": "plain",
        "accessToken": "words",
        "login": {"password": "x"},
        "next_token": "7",
    }
    record(folder, RecordedCall({"article": "bell"}, output))
    recorded = yaml.safe_load(spec_of(folder))["examples"][-1]["output"]
    masked = {"api_key": "[secret]", "accessToken": "[secret]", "login": {"password": "[secret]"}}
    assert recorded == {**OUTPUT, **masked, "next_token": "7"}


def test_a_masked_value_that_is_not_valid_is_not_recorded(tmp_path: Path) -> None:
    folder = shop(tmp_path, ORDER.replace("article: {type: string}", "article: {type: string, maxLength: 6}"))
    call = RecordedCall({"article": "bell"}, {**OUTPUT, "article": "abcdef"})
    with pytest.raises(NotRecordedError, match="its output is not valid"):
        record(folder, call, secrets=("bcd",))
    assert "recorded" not in spec_of(folder)


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("a eyJh.eyJb.c-d e", "a [secret] e"),
        ("id-eyJh.eyJb.", "id-[secret]"),
        ("a.eyJh.eyJb.c", "a.[secret]"),
        ("eyJh-eyJb.c.d", "[secret]"),
        ("keyJh.eyJb.c", "keyJh.eyJb.c"),
        ("x-ghp_abcdefghijkl-eyJh.b.c", "x-[secret].b.c"),
        ("-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\nx", "[secret]\nx"),
        ("a -----BEGIN RSA PRIVATE KEY-----\nabc", "a [secret]"),
    ],
)
def test_texts_that_look_like_secrets_are_masked(text: str, masked: str) -> None:
    assert without_secret_texts(text) == masked


@pytest.mark.parametrize("part", ["-----BEGIN PRIVATE KEY-----", "eyJa-", "bearer ", "eyJa.", "sk-"])
def test_a_long_text_is_masked_in_linear_time(part: str) -> None:
    with processor_limit(2):
        without_secret_texts(part * (1_000_000 // len(part)))
