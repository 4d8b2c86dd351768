"""Small files of several media types, and a tool that returns what it is given."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from toolgen.runtime import BaseTool, ToolContext, ToolResponse

from tests.runtime.tool_factory import code_of, make_tool, run

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(20)
PDF = b"%PDF-1.7\n1 0 obj\n"
WAV = b"RIFF\x24\x00\x00\x00WAVEfmt " + bytes(24)
SVG = b'<?xml version="1.0"?>\n<!-- a chart -->\n<svg xmlns="http://www.w3.org/2000/svg"></svg>'


def returning(*values: Any, content: Any, **definition: Any) -> BaseTool[Any, Any]:
    """Return a tool whose async `execute` returns the only value, or the list of values."""

    async def execute(self: Any, request: Any, context: ToolContext) -> Any:
        return values[0] if len(values) == 1 else list(values)

    return make_tool(execute, content=content, **definition)


def returning_in_thread(*values: Any, content: Any, **definition: Any) -> BaseTool[Any, Any]:
    """Return the same tool as a plain `def`, which runs in a worker thread."""

    def execute(self: Any, request: Any, context: ToolContext) -> Any:
        return values[0] if len(values) == 1 else list(values)

    return make_tool(execute, content=content, **definition)


def answer(*values: Any, content: Any, **definition: Any) -> ToolResponse:
    """Return the response of a call of such a tool."""
    return run(returning(*values, content=content, **definition))


def refused(caplog: pytest.LogCaptureFixture, tool: BaseTool[Any, Any]) -> str:
    """Return the reason in the log for an answer of `invalid_response`."""
    caplog.clear()
    with caplog.at_level(logging.INFO):
        response = run(tool)
    assert code_of(response) == "invalid_response"
    assert response.blocks == ()
    return caplog.records[-1].getMessage()
