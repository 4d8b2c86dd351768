"""A pytest plugin that puts one fault into the product: `TOOLGEN_MUTANT` names it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

MUTANTS: dict[str, Callable[[], None]] = {}


def mutant(change: Callable[[], None]) -> Callable[[], None]:
    """Register a fault by the name of its function."""
    MUTANTS[change.__name__] = change
    return change


def pytest_configure() -> None:
    """Put the fault in before any test module is imported."""
    name = os.environ.get("TOOLGEN_MUTANT")
    if name:
        MUTANTS[name]()


def _change_published(change: Callable[[dict[str, Any]], None]) -> None:
    """Change the schema of every tool in what providers are sent."""
    from generated import anthropic_tools, openai_tools

    for tool in openai_tools.CHAT_TOOLS:
        function: Any = tool["function"]
        function["parameters"] = deepcopy(function["parameters"])
        change(function["parameters"])
    for block in anthropic_tools.TOOLS:
        schema: Any = deepcopy(block["input_schema"])
        change(schema)
        block["input_schema"] = schema


def _null(schema: dict[str, Any]) -> None:
    schema["properties"] = {name: {"type": "null"} for name in schema.get("properties", {})}


@mutant
def every_property_is_null() -> None:
    """Every property keeps its name, but accepts null only."""
    _change_published(_null)


@mutant
def a_title_is_changed() -> None:
    """One tool has another title."""
    from generated import catalog

    definition: Any = catalog.TOOLS["echo"]
    definition["title"] = "Eco"


@mutant
def mcp_drops_annotations() -> None:
    """The MCP adapter omits annotations."""
    from toolgen.runtime.adapters.mcp import listing, service

    original = listing.served_tools

    def served(definitions: Any) -> list[dict[str, Any]]:
        return [
            {key: value for key, value in tool.items() if key != "annotations"}
            for tool in original(definitions)
        ]

    listing.served_tools = service.served_tools = served


@mutant
def mcp_drops_output_schemas() -> None:
    """The MCP adapter omits output schemas."""
    from toolgen.runtime.adapters.mcp import listing, service

    original = listing.served_tools

    def served(definitions: Any) -> list[dict[str, Any]]:
        return [
            {key: value for key, value in tool.items() if key != "outputSchema"}
            for tool in original(definitions)
        ]

    listing.served_tools = service.served_tools = served


def _change_contract(**changes: Callable[[Any], Any]) -> None:
    """Change fields of every contract that is compiled."""
    from toolgen.runtime.contract import tool_contract

    original = tool_contract._compile

    def make(tool: Any) -> Any:
        made = original(tool)
        return replace(made, **{name: change(getattr(made, name)) for name, change in changes.items()})

    tool_contract._compile = make


def _accepting(schema: Any) -> Any:
    return None if schema is None else replace(schema, is_valid=lambda value: True)


@mutant
def requests_are_not_checked() -> None:
    """Requests are validated with the models only."""
    _change_contract(request_schema=_accepting)


@mutant
def responses_are_not_checked() -> None:
    """The author's schema is not enforced on results."""
    _change_contract(
        response_schema=lambda schema: None, response_model=lambda model: None, chunk_schema=_accepting
    )


@mutant
def confirmation_is_skipped() -> None:
    """The user is not asked."""
    _change_contract(confirm=lambda confirm: None)


@mutant
def scopes_are_ignored() -> None:
    """Every caller has all scopes."""
    _change_contract(scopes=lambda scopes: frozenset())


@mutant
def an_error_code_is_changed() -> None:
    """A declared error has another code."""
    from toolgen.runtime.errors import ToolError

    original = ToolError.as_dict

    def as_dict(self: ToolError) -> dict[str, Any]:
        found: Mapping[str, Any] = original(self)
        return {**found, "code": "error"}

    ToolError.as_dict = as_dict  # type: ignore[method-assign]


@mutant
def errors_lose_their_hint() -> None:
    """Errors have no hint."""
    from toolgen.runtime.errors import ToolError

    ToolError.as_text = lambda self: f"Error [{self.code}]: {self.message}"  # type: ignore[method-assign]


@mutant
def aliases_are_not_answered() -> None:
    """Only wire names are answered."""
    from toolgen.runtime.implementations import registry

    original = registry.index_entries

    def index(entries: Any) -> Any:
        made = original(entries)
        return replace(made, by_name=dict(made.entries))

    registry.index_entries = index


@mutant
def final_answers_are_not_marked() -> None:
    """No response is marked as final."""
    _change_contract(final_answer=lambda final: False)


@mutant
def extras_are_lost() -> None:
    """Sessions do not keep extras."""
    from toolgen.runtime.toolkit import Toolkit

    Toolkit.session = lambda self, extras=None: self._view()  # type: ignore[assignment,method-assign]
