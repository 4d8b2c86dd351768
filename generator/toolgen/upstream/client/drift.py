"""Judge what a server lists by what a client was generated from, as readers of its results see it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from toolgen.runtime.errors import ToolError
from toolgen.schema.document import SchemaDocument
from toolgen.schema.graph import is_object_schema
from toolgen.serving.listed_tool import definition_digest, for_handshake_era, legacy_tools, mcp_tools

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
    uses: Mapping[str, Collection[str]] | None,
    *,
    is_error: bool,
) -> dict[str, ContractDriftError]:
    """Raise ContractDriftError, or warn, if a server lists tools of a client in a way that breaks its users.

    Args:
        listed: the tools that the server lists.
        tools: listed name → hash of the definition and method.
        tool_of: returns the tool of a method.
        uses: listed name → arguments that calls give; None: any of any tool.
        is_error: raise; or else, warn.

    Returns:
        the errors of tools without uses, by method.
    """
    found = {str(tool.get("name")): tool for tool in listed}
    faults: dict[str, list[str]] = {}
    unused: dict[str, ContractDriftError] = {}
    for name, (digest, method) in tools.items():
        tool, is_used = found.get(name), uses is None or name in uses
        broken: list[str] = []
        if tool is None:
            broken = ["the server no longer lists it"]
        elif definition_digest(tool) != digest:
            broken = _broken(tool, tool_of(method), (uses or {}).get(name))
        if broken and is_used:
            faults[name] = broken
        elif broken:
            unused[method] = _error({name: broken})
    if faults and is_error:
        raise _error(faults)
    if faults:
        warnings.warn(_error(faults).message, ContractDriftWarning, stacklevel=4)
    return unused


def _error(faults: Mapping[str, list[str]]) -> ContractDriftError:
    lines = [f"- {name}: {fault}" for name, each in sorted(faults.items()) for fault in each]
    message = "\n".join([ContractDriftError.description, *lines])
    return ContractDriftError(message, details={name: faults[name] for name in sorted(faults)})


def _broken(listed: Mapping[str, Any], tool: ClientTool, given: Collection[str] | None) -> list[str]:
    """Return what breaks about a tool that is listed in another way; `given`: arguments that calls give."""
    # A third of toolgen, which a server that has not changed does not need.
    from toolgen.changes.comparing.server_drift import FOR_CALLERS, FOR_READERS, concerns_call, judge_tool
    from toolgen.language.diagnostic import SpecErrors
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
    return [
        finding.message
        for finding in drift.failed
        if finding.category in FOR_CALLERS
        and finding.code not in FOR_READERS
        and (given is None or concerns_call(finding, given))
    ]
