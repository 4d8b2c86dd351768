"""Judge what a server lists by what a client was generated from, as readers of its results see it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from toolgen.runtime.adapters.mcp.listed_tool import (
    definition_digest,
    for_handshake_era,
    legacy_tools,
    mcp_tools,
)
from toolgen.runtime.errors import ToolError
from toolgen.schema.document import SchemaDocument
from toolgen.schema.graph import is_object_schema

if TYPE_CHECKING:
    from .tool import ClientTool


class ContractDriftError(ToolError):
    """The server lists tools in a way that breaks the client. `details` has one entry a tool."""

    code = "contract_drift"
    description = "The server has changed since this client was generated."
    hint = "Generate the client again: toolgen client; then see what your type checker says."


class ContractDriftWarning(UserWarning):
    """The server lists tools in a way that breaks the client."""


def check_drift(
    listed: Iterable[Mapping[str, Any]],
    tools: Mapping[str, tuple[str, str]],
    tool_of: Callable[[str], ClientTool],
    *,
    is_error: bool,
) -> None:
    """Raise ContractDriftError, or warn, if a server lists tools of a client in a way that breaks it.

    `tools`: listed name → hash of the definition and method; `tool_of` returns the tool of a method.
    """
    found = {str(tool.get("name")): tool for tool in listed}
    faults: dict[str, list[str]] = {}
    for name, (digest, method) in tools.items():
        tool = found.get(name)
        if tool is None:
            faults[name] = ["the server no longer lists it"]
        elif definition_digest(tool) != digest and (broken := _broken(tool, tool_of(method))):
            faults[name] = broken
    if not faults:
        return
    lines = [f"- {name}: {fault}" for name, each in sorted(faults.items()) for fault in each]
    error = ContractDriftError(
        "\n".join([ContractDriftError.description, *lines]),
        details={name: faults[name] for name in sorted(faults)},
    )
    if is_error:
        raise error
    warnings.warn(error.message, ContractDriftWarning, stacklevel=4)


def _broken(listed: Mapping[str, Any], tool: ClientTool) -> list[str]:
    """Return what breaks callers or readers about a tool that is listed in another way."""
    from toolgen.comparing.server_drift import judge_tool
    from toolgen.data.diagnostic import SpecErrors
    from toolgen.project import UnableError

    definitions = {tool.name: tool.definition}
    (expected,) = mcp_tools(definitions)
    # an older client sees other forms of the same definition
    (old_form,) = for_handshake_era([expected])
    if definition_digest(listed) in map(definition_digest, (old_form, *legacy_tools(definitions))):
        return []
    if is_object_schema(SchemaDocument(listed.get("outputSchema") or {})):
        expected = old_form
    try:
        drift = judge_tool(expected, listed, allow_texts=True, today=datetime.now(UTC).date())
    except (UnableError, SpecErrors) as error:
        return [f"it cannot be compared: {error}"]
    return [finding.message for finding in drift.failed]
