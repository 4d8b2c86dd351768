"""What generated clients import: calls of the tools of an MCP server, checked against their contracts.

Importing this package is cheap: each name is loaded when it is first used, pydantic and the MCP SDK with the
first connection. Needs the extra `toolgen[mcp]` and nothing of the generator's dependencies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.base import lazy_names

if TYPE_CHECKING:
    from toolgen.runtime.content.block import Block
    from toolgen.runtime.content.values import ToolResult
    from toolgen.runtime.errors import ToolError
    from toolgen.upstream.client.arguments import OMIT, Omit
    from toolgen.upstream.client.drift import ContractDriftError, ContractDriftWarning
    from toolgen.upstream.client.errors import ConnectError, ProtocolError, UndeclaredContentWarning
    from toolgen.upstream.client.options import Progress
    from toolgen.upstream.client.questions import Question
    from toolgen.upstream.client.sync_client import SyncToolClient
    from toolgen.upstream.client.tool import ClientTool
    from toolgen.upstream.client.tool_client import ToolClient

__all__ = [
    "OMIT",
    "Block",
    "ClientTool",
    "ConnectError",
    "ContractDriftError",
    "ContractDriftWarning",
    "Omit",
    "Progress",
    "ProtocolError",
    "Question",
    "SyncToolClient",
    "ToolClient",
    "ToolError",
    "ToolResult",
    "UndeclaredContentWarning",
]

_HOMES = {
    "OMIT": "arguments",
    "Block": "tool",
    "ClientTool": "tool",
    "ConnectError": "errors",
    "ContractDriftError": "drift",
    "ContractDriftWarning": "drift",
    "Omit": "arguments",
    "Progress": "options",
    "ProtocolError": "errors",
    "Question": "questions",
    "SyncToolClient": "sync_client",
    "ToolClient": "tool_client",
    "ToolError": "errors",
    "ToolResult": "tool",
    "UndeclaredContentWarning": "errors",
}

__getattr__ = lazy_names(__name__, _HOMES, package="toolgen.upstream.client")
