"""Seed 000, the BaseTool abstraction: what one base class gives to every generated tool."""

from __future__ import annotations

import asyncio
import inspect
from contextlib import suppress
from pathlib import Path
from types import new_class
from typing import Any, ClassVar, get_args

import anyio
import pytest
from mcp import Client
from pydantic import BaseModel
from toolgen.runtime import (
    BaseTool,
    ToolContext,
    ToolDefinition,
    ToolError,
    Toolkit,
    ToolParam,
    ToolResponse,
    ToolSpec,
)
from toolgen.runtime.errors import NotReadyError

from examples.tools.echo import Echo
from generated import catalog
from generated.models.catalog_search import CatalogSearchRequest, CatalogSearchResponse
from generated.tools.catalog_search import CatalogSearchTool
from generated.tools.echo import EchoRequest, EchoResponse, EchoTool
from tests.runtime.tool_factory import code_of

from . import helpers

NAMES = sorted(catalog.TOOLS)
NONSENSE = {"no_such_parameter": 1}


class Raising(EchoTool):
    """echo that raises an exception."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        raise self.error


FAULTS: dict[str, tuple[Exception, str]] = {
    "an undeclared exception": (RuntimeError("secret"), "Error [internal_error]: The tool failed."),
    "a tool error": (NotReadyError("No."), "Error [not_ready]: No."),
    "an undeclared tool error": (ToolError("secret"), "Error [internal_error]: The tool failed."),
}


@pytest.mark.parametrize("name", NAMES)
def test_validation_is_shared(name: str, tmp_path: Path) -> None:
    """share common functionality (parameter validation, error handling, result formatting)

    Every tool refuses an invalid request, before its code runs.
    """
    response = helpers.call(helpers.gallery(tmp_path), name, NONSENSE)
    assert code_of(response) == "invalid_request"
    assert "no_such_parameter" in response.error.message
    assert not list(tmp_path.iterdir()), "no database, no workspace: nothing was touched"


def test_a_result_is_a_list_of_texts_and_a_flag(tmp_path: Path) -> None:
    """MCP protocol requires consistent response format"""
    wire = helpers.mcp_call(helpers.gallery(tmp_path), "echo", {"text": "a"}).model_dump(
        by_alias=True, mode="json", exclude_none=True
    )
    assert wire["content"] == [{"type": "text", "text": '{"text":"a"}'}]
    assert wire["isError"] is False
    assert wire["_meta"]["toolgen/final_answer"] is True


def test_it_is_generic_over_the_request_type() -> None:
    """abstract class BaseTool<T extends ToolParams = ToolParams>"""
    assert [str(parameter) for parameter in vars(BaseTool)["__parameters__"]] == ["~Request", "~Response"]
    (base,) = vars(CatalogSearchTool)["__orig_bases__"]
    assert get_args(base) == (CatalogSearchRequest, CatalogSearchResponse)
    annotation = inspect.signature(CatalogSearchTool.execute).parameters["request"].annotation
    assert annotation == "CatalogSearchRequest"


class Other(BaseModel):
    text: str


def test_a_class_whose_types_contradict_its_spec_is_refused() -> None:
    """Type Safety - Generic parameter type <T extends ToolParams>"""
    spec = ToolSpec.from_models(EchoRequest, EchoResponse, name="echo_2", description="d")
    without_models = ToolSpec(name="echo_3", description="d", inputs=[ToolParam("text", "string", "Text.")])

    def execute(self: Any, request: Any, context: ToolContext) -> Any:
        return None

    def misled(self: Any, request: Other, context: ToolContext) -> Any:
        return None

    def make(base: Any, spec: ToolSpec, execute: Any = execute) -> Any:
        return new_class("Made", (base,), {}, lambda body: body.update(spec=spec, execute=execute))

    for given, said in (
        (BaseTool[Other, EchoResponse], "Other, and its request_model is EchoRequest"),
        (BaseTool[dict[str, Any], EchoResponse], "dict, and its request_model is EchoRequest"),
        (BaseTool[EchoRequest, Other], "Other, and its response_model is EchoResponse"),
    ):
        with pytest.raises(TypeError, match=said):
            make(given, spec)
    with pytest.raises(TypeError, match="Other, and its request_model is None"):
        make(BaseTool[Other, Any], without_models)
    with pytest.raises(TypeError, match="takes a request of Other, and the tool's requests are EchoRequest"):
        make(BaseTool[EchoRequest, EchoResponse], spec, misled)
    for fitting in (
        BaseTool,
        BaseTool[Any, Any],
        BaseTool[EchoRequest, EchoResponse],
        BaseTool[EchoRequest, dict[str, Any]],
    ):
        assert make(fitting, spec).request_model is EchoRequest
    make(BaseTool[dict[str, Any], EchoResponse], without_models)


@pytest.mark.parametrize("name", NAMES)
def test_every_tool_is_a_subclass_with_name_description_input_schema_and_execute(name: str) -> None:
    """Must implement in subclasses: abstract name, description, inputSchema"""
    tool = catalog.tool_class(name)
    assert issubclass(tool, BaseTool)
    assert tool.name == name
    assert str(tool.description).startswith(" ".join(helpers.spec(name)["description"].split())[:30])
    assert tool.input_schema == catalog.TOOLS[name]["input_schema"]
    assert callable(tool.execute)


def test_execute_may_be_a_coroutine_or_a_function() -> None:
    """abstract execute(params: T): Promise<ToolResponse>"""

    class Awaited(EchoTool):
        async def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            return EchoResponse(text=request.text)

    for tool in (Awaited(), Echo()):
        response = helpers.call(helpers.kit_of(tool), "echo", {"text": "a"})
        assert isinstance(response, ToolResponse)
        assert response.content == {"text": "a"}


def test_requests_are_validated_with_the_authors_schema(tmp_path: Path) -> None:
    """Validation Methods - Type checking and validation

    The schema requires unique items, which the model does not.
    """
    arguments = {"result": "Done.", "files": ["a", "a"]}
    response = helpers.call(helpers.gallery(tmp_path), "attempt_completion", arguments)
    assert code_of(response) == "invalid_request"


def test_execute_receives_an_instance_of_the_request_type(tmp_path: Path) -> None:
    """Type Safety - Generic parameter type"""
    seen: list[object] = []

    class Seeing(Echo):
        def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            seen.append(request)
            return super().execute(request, context)

    assert helpers.call(helpers.kit_of(Seeing()), "echo", {"text": "a"}).success
    assert seen == [EchoRequest(text="a")]


@pytest.mark.parametrize(("error", "says"), FAULTS.values(), ids=FAULTS.keys())
@pytest.mark.parametrize("era", helpers.ERAS)
def test_one_error_format_on_the_wire(era: Any, error: Exception, says: str) -> None:
    """return this.handleError(error);  // Use base class error handling
    text: error.message  // Or String(error)
    """
    wire = helpers.mcp_call(helpers.kit_of(Raising(error)), "echo", {"text": ""}, era=era).model_dump(
        by_alias=True
    )
    assert wire["isError"] is True
    ((kind, text),) = [(block["type"], block["text"]) for block in wire["content"]]
    assert kind == "text"
    assert text.startswith(says)
    assert "secret" not in str(wire)
    assert wire["_meta"]["toolgen/error"]["code"] in text


@pytest.mark.parametrize("error", [SystemExit(3), asyncio.CancelledError()], ids=repr)
def test_a_tool_that_exits_answers_an_error(error: Any) -> None:
    """try { Tool-specific logic } catch (error)"""

    class Exiting(EchoTool):
        async def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            raise error

    for tool in (Exiting(), Raising(error)):
        response = helpers.call(helpers.kit_of(tool), "echo", {"text": "a"})
        assert code_of(response) == "internal_error"


@pytest.mark.parametrize("era", helpers.ERAS)
def test_a_cancelled_call_whose_tool_raises_ends_no_server(era: Any) -> None:
    """handleError(error: unknown): ToolResponse

    The client cancels; the tool ignores that, and ends with a CancelledError of its own.
    """
    started, left = asyncio.Event(), asyncio.Event()

    class Leaving(EchoTool):
        async def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            if request.text == "next":
                return EchoResponse(text=request.text)
            started.set()
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            left.set()
            raise asyncio.CancelledError("not the caller's")

    async def act(client: Client) -> str:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "echo", {"text": "wait"})
            await started.wait()
            group.cancel_scope.cancel()
        async with asyncio.timeout(30):
            await left.wait()
            return helpers.text_of(await client.call_tool("echo", {"text": "next"}))

    assert helpers.over_mcp(helpers.kit_of(Leaving()), act, era) == '{"text":"next"}'


def test_responses_are_validated_with_the_authors_schema() -> None:
    """Consistent structure: All tools follow same pattern"""

    class Wrong(EchoTool):
        def execute(self, request: EchoRequest, context: ToolContext) -> Any:
            return {"text": "a", "more": "b"}

    response = helpers.call(helpers.kit_of(Wrong()), "echo", {"text": "a"})
    assert response.error is not None
    assert (response.error.code, response.content) == ("invalid_response", None)


@pytest.mark.parametrize("name", NAMES)
def test_the_base_class_is_abstract_without_execute(name: str) -> None:
    """Type safety: Abstract methods enforced by TypeScript"""
    tool = catalog.tool_class(name)
    assert BaseTool.__abstractmethods__ == {"execute"}
    assert "execute" in tool.__abstractmethods__
    with pytest.raises(TypeError, match="execute"):
        tool()


def test_a_new_tool_extends_the_base_class() -> None:
    """Easy to extend: New tool = extend BaseTool"""

    class Shout(BaseTool[dict[str, Any], str]):
        spec = ToolSpec(name="shout", description="Shout.", inputs=[ToolParam("text", "string")])

        def execute(self, request: dict[str, Any], context: ToolContext) -> str:
            return str(request["text"]).upper()

    toolkit = Toolkit([Shout()])
    assert helpers.call(toolkit, "shout", {"text": "a"}).content == "A"
    assert not helpers.call(toolkit, "shout", {"text": 1}).success


def test_a_fix_in_the_base_fixes_all_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Centralized fixes: Fix base class = fixes all tools

    A change of the runtime's error text applies to every tool and each adapter.
    """
    monkeypatch.setattr(ToolError, "as_text", lambda self: f"<{self.code}>")
    toolkit = helpers.gallery(tmp_path)
    for name in NAMES:
        assert helpers.call(toolkit, name, NONSENSE).as_text() == "<invalid_request>"
    assert set(helpers.texts(lambda _: toolkit, "echo", NONSENSE).values()) == {"<invalid_request>"}


def test_an_override_cannot_switch_validation_off() -> None:
    """Override confusion: Subclasses can override protected methods"""

    class Lenient(Echo):
        @classmethod
        def check_inputs(cls, raw: Any) -> EchoRequest:
            return EchoRequest(text="anything")

    response = helpers.call(helpers.kit_of(Lenient()), "echo", NONSENSE)
    assert code_of(response) == "invalid_request"


def test_all_tools_return_errors_in_the_same_format(tmp_path: Path) -> None:
    """Consistent errors: All tools return same error format"""

    async def refused(client: Client) -> list[dict[str, Any]]:
        results = [await client.call_tool(name, NONSENSE) for name in NAMES]
        return [result.model_dump(by_alias=True, mode="json", exclude_none=True) for result in results]

    for wire in helpers.over_mcp(helpers.gallery(tmp_path), refused):
        assert wire["isError"] is True
        error = wire["_meta"]["toolgen/error"]
        assert set(error) == {"code", "message", "retryable", "hint", "details"}
        assert wire["content"] == [{"type": "text", "text": f"Error [{error['code']}]: {error['message']}"}]


def test_one_error_format_for_a_declared_error_with_its_hint(tmp_path: Path) -> None:
    """isError: boolean; _meta?: Record<string, unknown>"""
    wire = helpers.mcp_call(helpers.gallery(tmp_path), "catalog_search", {"query": "?!"}).model_dump(
        by_alias=True
    )
    declared = next(error for error in helpers.spec("catalog_search")["errors"])
    assert wire["isError"] is True
    assert wire["structuredContent"] is None
    assert wire["_meta"]["toolgen/error"]["code"] == declared["code"]
    assert wire["_meta"]["toolgen/error"]["hint"] == declared["hint"]
    assert wire["content"][0]["text"].endswith(f"Hint: {declared['hint']}")


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("echo", {"text": 7}, "$.text: expected string, got the number 7"),
        ("catalog_search", {}, "$.query: required property is missing, expected string"),
        (
            "verify_order_document",
            {"order_number": "PO-2026-0001", "lines": [7]},
            "$.lines[0]: expected object, got the number 7",
        ),
    ],
    ids=["a text", "a required parameter", "an object in a list"],
)
def test_parameters_have_their_type(tmp_path: Path, name: str, arguments: Any, says: str) -> None:
    """validateDatabase() - Ensures database param is string
    validateObject() - Type checks object parameters
    """
    response = helpers.call(helpers.gallery(tmp_path), name, arguments)
    assert code_of(response) == "invalid_request"
    assert says in response.error.message


def test_validation_can_be_called_and_raises() -> None:
    """Throws if invalid"""
    assert CatalogSearchTool.check_inputs({"query": "a"}) == CatalogSearchRequest(query="a")
    with pytest.raises(ToolError, match="required property is missing") as caught:
        CatalogSearchTool.check_inputs({})
    assert caught.value.code == "invalid_request"


def test_missing_scopes_are_refused() -> None:
    """All tools return errors in same format"""

    class Scoped(Echo):
        definition: ClassVar[ToolDefinition] = {**EchoTool.definition, "auth": {"scopes": ["echo:read"]}}

    toolkit = helpers.kit_of(Scoped())
    refused = helpers.call(toolkit, "echo", {"text": "a"}, scopes=frozenset({"other"}))
    assert code_of(refused) == "insufficient_scope"
    assert helpers.call(toolkit, "echo", {"text": "a"}, scopes=frozenset({"echo:read"})).success
