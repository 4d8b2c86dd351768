"""Seed 002, the base tool architecture: one response and its forms, configuration, checks, seven tools."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
import time
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from toolgen.runtime import (
    BaseTool,
    ResponseForm,
    SetupContext,
    ToolConfig,
    ToolContext,
    ToolError,
    ToolEvent,
    Toolkit,
    ToolParam,
    ToolResponse,
    ToolReturn,
    ToolSpec,
)

from examples.tools.echo import Echo
from generated.tools.echo import EchoRequest, EchoResponse, EchoTool
from tests.runtime.tool_factory import code_of

from . import helpers

SEED = ("attempt_completion", "execute", "load", "search", "search_and_replace", "todo", "write")
OUT = {"path": "../shop.sqlite3"}


class Bad(EchoTool):
    def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        raise KeyError("a bug")


class Late(Echo):
    """echo whose set-up fails the first time."""

    def __init__(self) -> None:
        self.attempts = 0

    def setup(self) -> None:
        self.attempts += 1
        if self.attempts == 1:
            raise OSError("not yet")


@pytest.fixture
def loaded(tmp_path: Path) -> ToolResponse:
    return helpers.call(helpers.gallery(tmp_path), "load", {"path": "README.md"})


class _Collecting(logging.Handler):
    def __init__(self, records: list[logging.LogRecord]) -> None:
        super().__init__()
        self.records = records

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


def test_every_tool_is_set_up_before_its_first_call(tmp_path: Path) -> None:
    """Unified Initialization: Consistent configuration and setup pattern
    Specialized initialization requirements
    """

    class Greeting(EchoTool):
        def setup(self, context: SetupContext) -> None:
            self.greeting = context.get("greeting")
            context.logger.warning("set up %s", context.tool_name)
            context.checkpoint.save("greeting", self.greeting)

        def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            return EchoResponse(text=f"{self.greeting} {request.text} {context.checkpoint.load('greeting')}")

    records: list[logging.LogRecord] = []
    logger = logging.getLogger("tests.seed_002.setup")
    logger.handlers = [_Collecting(records)]
    config = ToolConfig(logger=logger, checkpoint=tmp_path)
    toolkit = helpers.kit_of(Greeting(), context={"greeting": "Hello"}, config=config)
    assert helpers.call(toolkit, "echo", {"text": "Ada"}).content == {"text": "Hello Ada Hello"}
    assert [record.getMessage() for record in records if record.levelno == logging.WARNING] == ["set up echo"]
    without = helpers.call(helpers.kit_of(Greeting()), "echo", {"text": "Ada"})
    assert code_of(without) == "missing_dependency"


def test_execute_has_the_same_signature_everywhere() -> None:
    """Standard Interface: Common execute() method signature"""
    with pytest.raises(TypeError, match=r"must accept \(self, request, context\)"):

        class Wrong(EchoTool):
            def execute(self, text: str) -> EchoResponse:  # type: ignore[override]
                return EchoResponse(text=text)


def test_without_a_logger_the_records_are_the_runtimes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Logging Integration: Automatic logger setup and management"""
    with caplog.at_level(logging.INFO):
        helpers.call(helpers.gallery(tmp_path), "load", {"path": "README.md"})
    assert {record.name for record in caplog.records if hasattr(record, "call_id")} == {"toolgen.runtime"}


def test_config_callback(tmp_path: Path) -> None:
    """Callback Support: Event notification system for tool operations"""
    events: list[ToolEvent] = []
    toolkit = helpers.gallery(tmp_path, ToolConfig(callback=events.append))
    helpers.call(toolkit, "load", {"path": "README.md"})
    helpers.call(toolkit, "load", OUT)
    kinds = ["started", "validated", "finished", "started", "validated", "failed"]
    assert [event.kind for event in events] == kinds
    assert {event.tool_name for event in events} == {"load"}


def test_initialised_state_is_checked(caplog: pytest.LogCaptureFixture) -> None:
    """Validation: Built-in initialization state checking"""
    tool = Late()
    toolkit = helpers.kit_of(tool)
    first = helpers.call(toolkit, "echo", {"text": "a"})
    assert first.error is not None
    assert (first.error.code, first.error.retryable) == ("not_ready", True)
    assert first.metadata["call_id"] in first.as_text()
    assert "not yet" not in first.as_text()
    assert 'raise OSError("not yet")' in caplog.text
    assert helpers.call(toolkit, "echo", {"text": "b"}).content == {"text": "b"}
    assert helpers.call(toolkit, "echo", {"text": "c"}).success
    assert tool.attempts == 2


def test_a_response_has_name_success_content_error_and_metadata(tmp_path: Path, loaded: ToolResponse) -> None:
    """Standard response format for all tool executions"""
    fields = {field.name for field in dataclasses.fields(ToolResponse)}
    assert {"tool_name", "success", "content", "error", "metadata"} <= fields
    assert (loaded.tool_name, loaded.success, loaded.error) == ("load", True, None)
    assert loaded.content["text"].startswith("# Shop papers")
    failed = helpers.call(helpers.gallery(tmp_path), "load", OUT)
    assert (failed.tool_name, failed.success, failed.content) == ("load", False, None)
    assert failed.error is not None
    assert failed.metadata["call_id"] != loaded.metadata["call_id"]


@pytest.mark.parametrize(
    "content", ["a text", "", 7, 0, 1.5, True, False, None, ["a"], [], {"a": 1}], ids=repr
)
def test_content_may_be_any_json_value(content: Any) -> None:
    """content: The actual result data (type varies by tool)"""

    class Anything(BaseTool[dict[str, Any], Any]):
        spec = ToolSpec(name="anything", description="Return a value.")

        def execute(self, request: dict[str, Any], context: ToolContext) -> Any:
            return content

    response = helpers.call(Toolkit([Anything()]), "anything", {})
    assert (response.success, response.content) == (True, content)
    assert type(response.content) is type(content)


def test_an_error_message_describes_the_failure(tmp_path: Path) -> None:
    """error: Error message if execution failed
    Include descriptive error messages
    """
    failed = helpers.call(helpers.gallery(tmp_path), "load", OUT)
    assert failed.error is not None
    assert (
        failed.error.message
        == "'../shop.sqlite3' leaves the workspace; use a relative path without '..' or backslashes."
    )
    assert failed.error.hint.startswith("Use a path relative to the workspace")


def test_form_intact(loaded: ToolResponse) -> None:
    """INTACT: Return response object as-is"""
    assert loaded.render(ResponseForm.INTACT) is loaded


def test_form_dict(loaded: ToolResponse) -> None:
    """DICT: Convert to dictionary"""
    plain = loaded.render(ResponseForm.DICT)
    assert plain["content"] == loaded.content
    assert json.loads(json.dumps(plain)) == plain


def test_form_str(loaded: ToolResponse) -> None:
    """STR: Convert to string representation"""
    line = loaded.render(ResponseForm.STR)
    assert "\n" not in line
    assert json.loads(line) == loaded.render(ResponseForm.DICT)


def test_form_pretty_str_is_the_default(loaded: ToolResponse) -> None:
    """PRETTY_STR: Convert to formatted string (default)"""
    pretty = loaded.render()
    assert pretty == loaded.render(ResponseForm.PRETTY_STR)
    assert pretty.startswith("tool_name: load\nsuccess: true\ncontent: \n  {\n")


def test_config_logger(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """logger: Custom logger instance (auto-created if not provided)"""
    logger = logging.getLogger("my.application")
    with caplog.at_level(logging.DEBUG, "my.application"):
        response = helpers.call(
            helpers.gallery(tmp_path, ToolConfig(logger=logger)), "load", {"path": "README.md"}
        )
    assert caplog.records
    assert {record.name for record in caplog.records} == {"my.application"}
    ids = {getattr(record, "call_id", None) for record in caplog.records}
    assert ids == {response.metadata["call_id"]}


def test_config_checkpoint(tmp_path: Path) -> None:
    """checkpoint: Root path for tools requiring persistence

    A new toolkit, as after a restart, loads what a tool has saved.
    """

    class Remembering(EchoTool):
        def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            texts = context.checkpoint.update("texts", lambda texts: [*texts, request.text], [])
            return EchoResponse(text=" ".join(texts))

    for text, said in (("a", "a"), ("b", "a b")):
        toolkit = helpers.kit_of(Remembering(), config=ToolConfig(checkpoint=tmp_path / "state"))
        assert helpers.call(toolkit, "echo", {"text": text}).content == {"text": said}
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")] == ["state/echo.sqlite"]
    without = helpers.call(helpers.kit_of(Remembering()), "echo", {"text": "a"})
    assert without.as_text() == (
        "Error [missing_dependency]: The application has not configured a checkpoint folder, which echo needs."
    )


async def test_parallel_updates_of_a_checkpoint_lose_nothing(tmp_path: Path) -> None:
    """checkpoint: Optional[Union[str, Path]] = None"""

    def add_one(count: int) -> int:
        time.sleep(0.005)  # long enough for the other calls to load the same number, if they could
        return count + 1

    class Counting(EchoTool):
        def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            return EchoResponse(text=str(context.checkpoint.update("count", add_one, 0)))

    toolkit = helpers.kit_of(Counting(), config=ToolConfig(checkpoint=tmp_path))
    responses = await asyncio.gather(*(toolkit.call("echo", {"text": ""}) for _ in range(10)))
    assert sorted([response.content["text"] for response in responses], key=int) == [
        str(number) for number in range(1, 11)
    ]


def test_filter_empty_fields(loaded: ToolResponse) -> None:
    """filter_empty_fields: bool = True"""
    assert "error" not in loaded.render(ResponseForm.DICT)
    assert loaded.render(ResponseForm.DICT, filter_empty_fields=False)["error"] is None
    assert loaded.content["warnings"] == loaded.render(ResponseForm.DICT)["content"]["warnings"] == []


def test_filter_metadata_fields(loaded: ToolResponse) -> None:
    """filter_metadata_fields: bool = True"""
    assert "metadata" not in loaded.render(ResponseForm.DICT)
    shown = loaded.render(ResponseForm.DICT, filter_metadata_fields=False)
    assert shown["metadata"]["call_id"] == loaded.metadata["call_id"]


@pytest.mark.parametrize("arguments", [None, [], "text", 7, {"command": 1}, {"command": "rm"}])
@pytest.mark.parametrize("name", SEED)
def test_nothing_that_an_agent_sends_raises(tmp_path: Path, name: str, arguments: object) -> None:
    """Return ToolResponse with success=False on errors"""
    response = helpers.call(helpers.gallery(tmp_path), name, arguments)
    assert isinstance(response, ToolResponse)
    assert response.success == (response.error is None)


def test_errors_are_logged_and_never_raised_at_the_agent(caplog: pytest.LogCaptureFixture) -> None:
    """Log errors appropriately"""
    with caplog.at_level(logging.ERROR):
        response = helpers.call(helpers.kit_of(Bad()), "echo", {"text": "a"})
    reference = response.metadata["call_id"]
    assert response.as_text() == f"Error [internal_error]: The tool failed. Reference: {reference}."
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.exc_info is not None
    assert "KeyError" in caplog.text
    assert 'raise KeyError("a bug")' in caplog.text, "the line of source"
    assert "KeyError: 'a bug'" not in caplog.text
    assert reference in record.getMessage()


def test_tool_specific_response_metadata(tmp_path: Path) -> None:
    """Custom response metadata classes"""
    arguments = {"command": "wc", "arguments": ["-l", "README.md"]}
    response = helpers.call(helpers.gallery(tmp_path), "execute", arguments)
    assert response.metadata["output_bytes"] == len("4 README.md\n")
    assert response.metadata["seconds"] > 0
    assert "seconds" not in response.content
    assert "output_bytes" not in response.as_text(), "for the application, not for the model"
    wire = helpers.mcp_call(helpers.gallery(tmp_path), "execute", arguments).meta or {}
    assert wire["toolgen/metadata"]["output_bytes"] == response.metadata["output_bytes"]


def test_a_tool_validates_what_its_schema_cannot(tmp_path: Path) -> None:
    """Tool-specific validation logic"""
    arguments = {"command": "wc", "arguments": ["--files0-from=README.md"]}
    refused = helpers.call(helpers.gallery(tmp_path), "execute", arguments)
    assert code_of(refused) == "not_allowed"


def test_a_response_class_may_have_fields_of_its_own() -> None:
    """Define custom response classes (optional)"""

    class Custom(BaseModel):
        content: str
        custom_field: str | None = None

    class Request(BaseModel):
        text: str

    class MyTool(BaseTool[Request, Custom]):
        spec = ToolSpec.from_models(Request, Custom, name="my_tool", description="Mine.")

        def execute(self, request: Request, context: ToolContext) -> Custom:
            return Custom(content=request.text, custom_field="mine")

    response = helpers.call(Toolkit([MyTool()]), "my_tool", {"text": "a"})
    assert response.content == {"content": "a", "custom_field": "mine"}


@dataclasses.dataclass(frozen=True)
class MyToolResponse(ToolResponse):
    """The custom response class of the design."""

    tool_name: str = "my_tool"
    custom_field: str | None = None


class EmptyError(ToolError):
    code, description = "empty", "There is no text."


class MyTool(BaseTool[dict[str, Any], MyToolResponse]):
    """The tool of the design, which answers in a response class of its own."""

    spec = ToolSpec(
        name="my_tool",
        description="Mine.",
        inputs=[ToolParam("text", "string")],
        returns=ToolReturn("string"),
        errors=[EmptyError],
    )

    def execute(self, request: dict[str, Any], context: ToolContext) -> MyToolResponse:
        if not request["text"]:
            return MyToolResponse(success=False, error=EmptyError())
        return MyToolResponse(
            success=True,
            content=request["text"],
            custom_field="mine",
            metadata={"length": len(request["text"])},
            extras={"seen": 1},
        )


def test_a_response_class_of_ones_own_is_returned_and_rendered() -> None:
    """class MyToolResponse(ToolResponse): custom_field: Optional[str] = None
    return MyToolResponse(success=True, content=result).dump(**dumping_kwargs)
    """
    response = helpers.call(Toolkit([MyTool()]), "my_tool", {"text": "a"})
    assert isinstance(response, MyToolResponse)
    assert (response.content, response.custom_field, response.extras) == ("a", "mine", {"seen": 1})
    assert response.metadata == {"length": 1, "call_id": response.metadata["call_id"]}
    assert response.render("dict")["custom_field"] == "mine"
    assert '"custom_field":"mine"' in response.render("str")
    assert "custom_field: mine" in response.render("pretty_str")
    assert response.render("intact") is response


def test_a_returned_failure_is_the_answer_of_the_call() -> None:
    """return MyToolResponse(success=False, error=str(e))"""
    response = helpers.call(Toolkit([MyTool()]), "my_tool", {"text": ""})
    assert (response.success, response.as_text()) == (False, "Error [empty]: There is no text.")


def test_content_of_a_returned_response_is_validated() -> None:
    """Standard response format for all tool executions"""

    class Wrong(MyTool):
        def execute(self, request: dict[str, Any], context: ToolContext) -> Any:
            return MyToolResponse(content=7) if request["text"] else MyToolResponse(success=False)

    for text in ("a", ""):
        response = helpers.call(Toolkit([Wrong()]), "my_tool", {"text": text})
        assert code_of(response) == "invalid_response"


def test_a_call_takes_the_form_of_its_response(tmp_path: Path) -> None:
    """def execute(self, as_type=ToolResponseType.PRETTY_STR, filter_empty_fields=True,
    filter_metadata_fields=True, **kwargs)
    """
    arguments = {"path": "README.md"}
    with helpers.gallery(tmp_path) as toolkit:
        shown = toolkit.call_sync("load", arguments, scopes=helpers.SCOPES, as_type="pretty_str")
        assert shown.startswith("tool_name: load\nsuccess: true\ncontent: \n  {\n")
        whole = toolkit.call_sync(
            "load",
            arguments,
            scopes=helpers.SCOPES,
            as_type=ResponseForm.DICT,
            filter_empty_fields=False,
            filter_metadata_fields=False,
        )
        assert (whole["error"], set(whole["metadata"])) == (None, {"call_id"})
        assert isinstance(
            toolkit.call_sync("load", arguments, scopes=helpers.SCOPES, as_type="intact"), ToolResponse
        )
        text = asyncio.run(toolkit.call("load", arguments, scopes=helpers.SCOPES, as_type="str"))
        assert json.loads(text)["tool_name"] == "load"
        with pytest.raises(ValueError, match="'xml' is not a valid ResponseForm"):
            toolkit.call_sync("load", arguments, scopes=helpers.SCOPES, as_type="xml")  # type: ignore[call-overload]


async def test_a_cancelled_call_ends_and_the_next_one_works() -> None:
    """Consistency: All tools behave predictably"""
    started = asyncio.Event()

    class Waiting(EchoTool):
        async def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            if request.text == "wait":
                started.set()
                await asyncio.Event().wait()
            return EchoResponse(text=request.text)

    toolkit = helpers.kit_of(Waiting())
    call = asyncio.create_task(toolkit.call("echo", {"text": "wait"}))
    await started.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (await toolkit.call("echo", {"text": "next"})).content == {"text": "next"}


@pytest.mark.parametrize("error", [OSError("no space left"), asyncio.CancelledError()], ids=repr)
async def test_a_cancelled_call_ends_with_the_callers_cancellation(error: BaseException) -> None:
    """All tools follow the same error handling pattern

    Whatever the tool raises on its way out.
    """
    started = asyncio.Event()

    class Leaving(EchoTool):
        async def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            try:
                started.set()
                await asyncio.Event().wait()
            finally:
                raise error

    call = asyncio.create_task(helpers.kit_of(Leaving()).call("echo", {"text": "wait"}))
    await started.wait()
    call.cancel("by its caller")
    with pytest.raises(asyncio.CancelledError, match="by its caller"):
        await call


def test_tools_are_called_from_synchronous_code(tmp_path: Path) -> None:
    """Testability: Unified interface simplifies testing"""
    with helpers.gallery(tmp_path) as toolkit:
        loaded = toolkit.call_sync("load", {"path": "README.md"}, scopes=helpers.SCOPES)
        assert loaded.content["text"].startswith("# Shop papers")
        refused = toolkit.call_sync("load", OUT, scopes=helpers.SCOPES)
        assert code_of(refused) == "outside_workspace"


async def test_call_sync_works_inside_a_running_event_loop(tmp_path: Path) -> None:
    """Unified interface"""

    with helpers.gallery(tmp_path) as toolkit:
        found = toolkit.call_sync("load", {"path": "README.md"}, scopes=helpers.SCOPES)
    assert found.success


def test_a_tool_is_added_at_run_time(tmp_path: Path) -> None:
    """Extensibility: Easy to add new tools following established patterns"""
    toolkit = helpers.gallery(tmp_path).select(names=["load"])
    assert not helpers.call(toolkit, "echo", {"text": "a"}).success
    late = Late()
    late.attempts = 1
    toolkit.add(late)
    assert helpers.call(toolkit, "echo", {"text": "a"}).success


def test_a_response_cannot_be_changed(loaded: ToolResponse) -> None:
    """Type Safety: Dataclasses provide structure and validation"""
    with pytest.raises(dataclasses.FrozenInstanceError):
        loaded.success = False  # type: ignore[misc]


def test_the_seven_tools_work_together(tmp_path: Path) -> None:
    """All tools in the drowcoder system are built on this foundation

    Plan, search, write, change, check, present: each tool by its name, through one toolkit.
    """
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
    """Related Tools: attempt_completion, execute, load, search, search_and_replace, todo, write"""
    example = helpers.spec(name)["examples"][0]
    result = helpers.mcp_call(helpers.gallery(tmp_path), name, example["input"])
    assert result.structured_content == example["output"]
