"""The error classes of a mock tool: the declared ones, and the reserved ones that the runtime raises."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolgen.runtime.definition.tool_definition import ErrorDefinition
from toolgen.runtime.errors import RUNTIME_ERRORS, ToolError


def declared_errors(errors: Iterable[ErrorDefinition]) -> Mapping[str, type[ToolError]]:
    """Return code → class, for the errors of a spec."""
    return {each["code"]: _error_class(each) for each in errors}


def all_errors(declared: Mapping[str, type[ToolError]]) -> Mapping[str, type[ToolError]]:
    """Return code → class, for the reserved errors, too. Declared ones take precedence."""
    return {**{error.code: error for error in RUNTIME_ERRORS}, **declared}


def _error_class(error: ErrorDefinition) -> type[ToolError]:
    fields = {
        "code": error["code"],
        "description": error["description"],
        "retryable": error.get("retryable", False),
        "hint": error.get("hint", ""),
    }
    name = "".join(part.capitalize() for part in error["code"].split("_"))
    return type(f"{name}Error", (ToolError,), fields)
