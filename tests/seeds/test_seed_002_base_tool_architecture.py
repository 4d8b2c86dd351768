"""Seed 002, the base tool architecture: one response and its forms, configuration, checks, seven tools."""

from __future__ import annotations

import dataclasses
import json
import logging
from pathlib import Path

import pytest
from toolgen.runtime import ResponseForm, ToolConfig, ToolContext, ToolEvent, ToolResponse

from generated.tools.echo import EchoRequest, EchoResponse, EchoTool

from . import helpers

SEED = ("attempt_completion", "execute", "load", "search", "search_and_replace", "todo", "write")
OUT = {"path": "../shop.sqlite3"}


class Bad(EchoTool):
    def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        raise KeyError("a bug")


class Late(EchoTool):
    """echo whose set-up fails the first time."""

    def __init__(self) -> None:
        self.attempts = 0

    def setup(self) -> None:
        self.attempts += 1
        if self.attempts == 1:
            raise OSError("not yet")

    def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        return EchoResponse(text=request.text)


@pytest.fixture
def loaded(tmp_path: Path) -> ToolResponse:
    return helpers.call(helpers.gallery(tmp_path), "load", {"path": "README.md"})


def test_a_response_has_name_success_content_error_and_metadata(tmp_path: Path, loaded: ToolResponse) -> None:
    fields = {field.name for field in dataclasses.fields(ToolResponse)}
    assert {"tool_name", "success", "content", "error", "metadata"} <= fields
    assert (loaded.tool_name, loaded.success, loaded.error) == ("load", True, None)
    assert loaded.content["text"].startswith("# Shop papers")
    failed = helpers.call(helpers.gallery(tmp_path), "load", OUT)
    assert (failed.tool_name, failed.success, failed.content) == ("load", False, None)
    assert failed.error is not None
    assert failed.metadata["call_id"] != loaded.metadata["call_id"]


def test_form_intact(loaded: ToolResponse) -> None:
    assert loaded.render(ResponseForm.INTACT) is loaded


def test_form_dict(loaded: ToolResponse) -> None:
    plain = loaded.render(ResponseForm.DICT)
    assert plain["content"] == loaded.content
    assert json.loads(json.dumps(plain)) == plain


def test_form_str(loaded: ToolResponse) -> None:
    line = loaded.render(ResponseForm.STR)
    assert "\n" not in line
    assert json.loads(line) == loaded.render(ResponseForm.DICT)


def test_form_pretty_str_is_the_default(loaded: ToolResponse) -> None:
    pretty = loaded.render()
    assert pretty == loaded.render(ResponseForm.PRETTY_STR)
    assert pretty.startswith("tool_name: load\nsuccess: true\ncontent: \n  {\n")


def test_filter_empty_fields(loaded: ToolResponse) -> None:
    assert "error" not in loaded.render(ResponseForm.DICT)
    assert loaded.render(ResponseForm.DICT, filter_empty_fields=False)["error"] is None
    assert loaded.content["warnings"] == loaded.render(ResponseForm.DICT)["content"]["warnings"] == []


def test_filter_metadata_fields(loaded: ToolResponse) -> None:
    assert "metadata" not in loaded.render(ResponseForm.DICT)
    shown = loaded.render(ResponseForm.DICT, filter_metadata_fields=False)
    assert shown["metadata"]["call_id"] == loaded.metadata["call_id"]


def test_config_logger(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("my.application")
    with caplog.at_level(logging.DEBUG, "my.application"):
        response = helpers.call(
            helpers.gallery(tmp_path, ToolConfig(logger=logger)), "load", {"path": "README.md"}
        )
    assert caplog.records
    assert {record.name for record in caplog.records} == {"my.application"}
    ids = {getattr(record, "call_id", None) for record in caplog.records}
    assert ids == {response.metadata["call_id"]}


def test_config_callback(tmp_path: Path) -> None:
    events: list[ToolEvent] = []
    toolkit = helpers.gallery(tmp_path, ToolConfig(callback=events.append))
    helpers.call(toolkit, "load", {"path": "README.md"})
    helpers.call(toolkit, "load", OUT)
    kinds = ["started", "validated", "finished", "started", "validated", "failed"]
    assert [event.kind for event in events] == kinds
    assert {event.tool_name for event in events} == {"load"}


def test_config_callback_that_raises_harms_nothing(tmp_path: Path) -> None:
    def callback(event: ToolEvent) -> None:
        raise ZeroDivisionError

    assert helpers.call(
        helpers.gallery(tmp_path, ToolConfig(callback=callback)), "load", {"path": "README.md"}
    ).success


def test_config_checkpoint(tmp_path: Path) -> None:
    """A new toolkit, as after a restart, loads what a tool has saved."""

    class Remembering(EchoTool):
        def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            before = context.checkpoint.load("texts", [])
            context.checkpoint.save("texts", [*before, request.text])
            return EchoResponse(text=" ".join([*before, request.text]))

    for text, said in (("a", "a"), ("b", "a b")):
        toolkit = helpers.kit_of(Remembering(), config=ToolConfig(checkpoint=tmp_path / "state"))
        assert helpers.call(toolkit, "echo", {"text": text}).content == {"text": said}
    without = helpers.call(helpers.kit_of(Remembering()), "echo", {"text": "a"})
    assert without.error is not None
    assert without.error.code == "missing_dependency"


def test_initialised_state_is_checked(caplog: pytest.LogCaptureFixture) -> None:
    tool = Late()
    toolkit = helpers.kit_of(tool)
    first = helpers.call(toolkit, "echo", {"text": "a"})
    assert first.error is not None
    assert (first.error.code, first.error.retryable) == ("not_ready", True)
    assert helpers.call(toolkit, "echo", {"text": "b"}).content == {"text": "b"}
    assert helpers.call(toolkit, "echo", {"text": "c"}).success
    assert tool.attempts == 2


def test_tool_specific_response_metadata(tmp_path: Path) -> None:
    arguments = {"command": "wc", "arguments": ["-l", "README.md"]}
    response = helpers.call(helpers.gallery(tmp_path), "execute", arguments)
    assert response.metadata["output_bytes"] == len("4 README.md\n")
    assert response.metadata["seconds"] > 0
    assert "seconds" not in response.content
    assert "output_bytes" not in response.as_text(), "for the application, not for the model"


def test_errors_are_logged_and_never_raised_at_the_agent(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        response = helpers.call(helpers.kit_of(Bad()), "echo", {"text": "a"})
    assert not response.success
    assert "a bug" not in response.as_text()
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.exc_info is not None
    assert "KeyError" in caplog.text
    assert "in execute" in caplog.text
    assert response.metadata["call_id"] in response.as_text()


@pytest.mark.parametrize("arguments", [None, [], "text", 7, {"command": 1}, {"command": "rm"}])
@pytest.mark.parametrize("name", SEED)
def test_nothing_that_an_agent_sends_raises(tmp_path: Path, name: str, arguments: object) -> None:
    response = helpers.call(helpers.gallery(tmp_path), name, arguments)
    assert isinstance(response, ToolResponse)
    assert response.success == (response.error is None)


def test_the_seven_tools_work_together(tmp_path: Path) -> None:
    """Plan, search, write, change, check, present: each tool by its name, through one toolkit."""
    toolkit = helpers.gallery(tmp_path)

    def ask(name: str, **arguments: object) -> dict[str, object]:
        response = helpers.call(toolkit, name, arguments)
        assert response.success, response.as_text()
        return dict(response.content)

    ask("todo", add=["Write to Ms Kite"])
    assert ask("search", query="quote", path="notes")["total"] == 0
    assert "valid for 14 days" in str(ask("load", path="templates/quote.txt")["text"])
    ask("todo", set=[{"number": 1, "state": "doing"}])
    ask("write", path="letters/kite.txt", text="Dear {customer},\n")
    changed = ask("search_and_replace", search="{customer}", replacement="Ms Kite", path="letters")
    assert changed["replacements"] == 1
    assert (
        ask("execute", command="cat", arguments=["kite.txt"], folder="letters")["stdout"] == "Dear Ms Kite,\n"
    )
    early = ask("attempt_completion", result="Written.", files=["letters/kite.txt"])
    assert early["warnings"] == ["1 item of the to-do list not done yet."]
    assert ask("todo", set=[{"number": 1, "state": "done"}])["left"] == 0
    done = helpers.call(toolkit, "attempt_completion", {"result": "Written.", "files": ["letters/kite.txt"]})
    assert done.final_answer
    assert done.content["warnings"] == []


@pytest.mark.parametrize("name", SEED)
def test_the_tools_work_by_their_names_over_mcp(tmp_path: Path, name: str) -> None:
    example = helpers.spec(name)["examples"][0]
    result = helpers.mcp_call(helpers.gallery(tmp_path), name, example["input"])
    assert result.structured_content == example["output"]
