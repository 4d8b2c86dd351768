"""Create tools in one line for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict
from toolgen.runtime import BaseTool, ToolConfig, Toolkit, ToolResponse


class Anything(BaseModel):
    """A request model that accepts every property."""

    model_config = ConfigDict(extra="allow")


def make_tool(
    execute: Callable[..., Any],
    *,
    request_model: type[BaseModel] = Anything,
    response_model: type[BaseModel] | None = None,
    errors: tuple[Any, ...] = (),
    preview: Callable[..., Any] | None = None,
    **definition: Any,
) -> BaseTool[Any, Any]:
    """Return a tool called `x` that accepts any object, unless `definition` says otherwise."""
    names: dict[str, Any] = {
        "execute": execute,
        "request_model": request_model,
        "response_model": response_model,
        "errors": errors,
        "definition": {
            "name": "x",
            "py_name": "x",
            "class_name": "XTool",
            "description": "X.",
            "input_schema": {"type": "object"},
            **definition,
        },
    }
    if preview is not None:
        names["preview"] = preview
    tool: BaseTool[Any, Any] = type("XTool", (BaseTool,), names)()
    return tool


def run(
    tool: BaseTool[Any, Any],
    arguments: Any = None,
    *,
    context: dict[str, Any] | None = None,
    config: ToolConfig | None = None,
    **options: Any,
) -> ToolResponse:
    """Call a tool once, in its own event loop."""
    return asyncio.run(Toolkit([tool], context=context, config=config).call("x", arguments, **options))


def code_of(response: ToolResponse) -> str | None:
    return None if response.error is None else response.error.code
