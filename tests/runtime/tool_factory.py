"""Create tools in one line for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict
from toolgen.runtime import (
    BaseTool,
    ToolConfig,
    ToolContext,
    Toolkit,
    ToolParam,
    ToolResponse,
    ToolReturn,
    ToolSpec,
)


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


class EchoBySpec(BaseTool[dict[str, Any], str]):
    """A tool without a spec file."""

    spec = ToolSpec(
        name="echo",
        description="Echoes the input string back to the caller.",
        when_to_use="When you need to return the same text verbatim.",
        inputs=[ToolParam(name="text", type="string", description="Text to echo", required=True)],
        returns=ToolReturn(type="string", description="The echoed text"),
        final_answer=True,
    )

    def execute(self, request: dict[str, Any], context: ToolContext) -> str:
        return str(request["text"])


def code_of(response: ToolResponse) -> str | None:
    return None if response.error is None else response.error.code
