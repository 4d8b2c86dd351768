"""Seed 000, the BaseTool abstraction: what one base class gives to every generated tool."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, ClassVar, get_args

import pytest
from toolgen.runtime import BaseTool, ToolContext, ToolDefinition, ToolError
from toolgen.runtime.errors import NotReadyError

from generated import catalog
from generated.models.catalog_search import CatalogSearchRequest, CatalogSearchResponse
from generated.tools.catalog_search import CatalogSearchTool
from generated.tools.echo import EchoRequest, EchoResponse, EchoTool

from . import helpers

NAMES = sorted(catalog.TOOLS)
NONSENSE = {"no_such_parameter": 1}


class Raising(EchoTool):
    """echo that raises an exception."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        raise self.error


@pytest.mark.parametrize("name", NAMES)
def test_every_tool_is_a_subclass_with_name_description_input_schema_and_execute(name: str) -> None:
    tool = catalog.tool_class(name)
    assert issubclass(tool, BaseTool)
    assert tool.name == name
    assert str(tool.description).startswith(" ".join(helpers.spec(name)["description"].split())[:30])
    assert tool.input_schema == catalog.TOOLS[name]["input_schema"]
    assert callable(tool.execute)


@pytest.mark.parametrize("name", NAMES)
def test_the_base_class_is_abstract_without_execute(name: str) -> None:
    tool = catalog.tool_class(name)
    assert "execute" in tool.__abstractmethods__
    with pytest.raises(TypeError, match="execute"):
        tool()


def test_it_is_generic_over_the_request_type() -> None:
    (base,) = vars(CatalogSearchTool)["__orig_bases__"]
    assert get_args(base) == (CatalogSearchRequest, CatalogSearchResponse)
    annotation = inspect.signature(CatalogSearchTool.execute).parameters["request"].annotation
    assert annotation == "CatalogSearchRequest"


def test_execute_receives_an_instance_of_the_request_type(tmp_path: Path) -> None:
    seen: list[object] = []

    class Seeing(EchoTool):
        def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            seen.append(request)
            return EchoResponse(text=request.text)

    assert helpers.call(helpers.kit_of(Seeing()), "echo", {"text": "a"}).success
    assert seen == [EchoRequest(text="a")]


@pytest.mark.parametrize("name", NAMES)
def test_validation_is_shared(name: str, tmp_path: Path) -> None:
    """Every tool refuses an invalid request with the same message, before its code runs."""
    response = helpers.call(helpers.gallery(tmp_path), name, NONSENSE)
    assert response.error is not None
    assert response.error.code == "invalid_request"
    assert "no_such_parameter" in response.error.message
    assert not list(tmp_path.iterdir()), "no database, no workspace: nothing was touched"


FAULTS: dict[str, tuple[Exception, str]] = {
    "an undeclared exception": (RuntimeError("secret"), "Error [internal_error]: The tool failed."),
    "a tool error": (NotReadyError("No."), "Error [not_ready]: No."),
    "an undeclared tool error": (ToolError("secret"), "Error [internal_error]: The tool failed."),
}


@pytest.mark.parametrize(("error", "says"), FAULTS.values(), ids=FAULTS.keys())
@pytest.mark.parametrize("era", helpers.ERAS)
def test_one_error_format_on_the_wire(era: Any, error: Exception, says: str) -> None:
    wire = helpers.mcp_call(helpers.kit_of(Raising(error)), "echo", {"text": ""}, era=era).model_dump(
        by_alias=True
    )
    assert wire["isError"] is True
    ((kind, text),) = [(block["type"], block["text"]) for block in wire["content"]]
    assert kind == "text"
    assert text.startswith(says)
    assert "secret" not in str(wire)
    assert wire["_meta"]["toolgen/error"]["code"] in text


def test_one_error_format_for_a_declared_error_with_its_hint(tmp_path: Path) -> None:
    wire = helpers.mcp_call(helpers.gallery(tmp_path), "catalog_search", {"query": "?!"}).model_dump(
        by_alias=True
    )
    declared = next(error for error in helpers.spec("catalog_search")["errors"])
    assert wire["isError"] is True
    assert wire["structuredContent"] is None
    assert wire["_meta"]["toolgen/error"]["code"] == declared["code"]
    assert wire["_meta"]["toolgen/error"]["hint"] == declared["hint"]
    assert wire["content"][0]["text"].endswith(f"Hint: {declared['hint']}")


def test_a_fix_in_the_base_fixes_all_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of the runtime's error text applies to every tool and each adapter."""
    monkeypatch.setattr(ToolError, "as_text", lambda self: f"<{self.code}>")
    toolkit = helpers.gallery(tmp_path)
    for name in NAMES:
        assert helpers.call(toolkit, name, NONSENSE).as_text() == "<invalid_request>"
    assert set(helpers.texts(lambda _: toolkit, "echo", NONSENSE).values()) == {"<invalid_request>"}


def test_overriding_the_shared_path_is_not_needed_and_not_possible_by_accident() -> None:
    """A generated class defines only its own attributes; subclasses do not override shared methods."""
    for name in NAMES:
        own = {key for key in vars(catalog.tool_class(name)) if not key.startswith("_")}
        assert own <= {"definition", "request_model", "response_model", "errors", "execute", "preview"}


def test_requests_are_validated_with_the_authors_schema(tmp_path: Path) -> None:
    """The schema requires unique items, which the model does not."""
    arguments = {"result": "Done.", "files": ["a", "a"]}
    response = helpers.call(helpers.gallery(tmp_path), "attempt_completion", arguments)
    assert response.error is not None
    assert response.error.code == "invalid_request"


def test_responses_are_validated_with_the_authors_schema() -> None:
    class Wrong(EchoTool):
        def execute(self, request: EchoRequest, context: ToolContext) -> Any:
            return {"text": "a", "more": "b"}

    response = helpers.call(helpers.kit_of(Wrong()), "echo", {"text": "a"})
    assert response.error is not None
    assert (response.error.code, response.content) == ("invalid_response", None)


def test_missing_scopes_are_refused() -> None:
    class Scoped(EchoTool):
        definition: ClassVar[ToolDefinition] = {**EchoTool.definition, "auth": {"scopes": ["echo:read"]}}

        def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            return EchoResponse(text=request.text)

    toolkit = helpers.kit_of(Scoped())
    refused = helpers.call(toolkit, "echo", {"text": "a"}, scopes=frozenset({"other"}))
    assert refused.error is not None
    assert refused.error.code == "insufficient_scope"
    assert helpers.call(toolkit, "echo", {"text": "a"}, scopes=frozenset({"echo:read"})).success
