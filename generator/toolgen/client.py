"""What generated clients import: calls of the tools of an MCP server, checked against their contracts.

Importing this package is cheap: each name is loaded when it is first used, pydantic and the MCP SDK with the
first connection. Needs the extra `toolgen[mcp]` and nothing of the generator's dependencies.
"""

from typing import TYPE_CHECKING

from toolgen.base import lazy_names

if TYPE_CHECKING:
    from toolgen.runtime.content.block import Block as Block
    from toolgen.runtime.content.values import ToolResult as ToolResult
    from toolgen.runtime.errors import ToolError as ToolError
    from toolgen.upstream.client.arguments import OMIT as OMIT
    from toolgen.upstream.client.arguments import Omit as Omit
    from toolgen.upstream.client.drift import ContractDriftError as ContractDriftError
    from toolgen.upstream.client.drift import ContractDriftWarning as ContractDriftWarning
    from toolgen.upstream.client.errors import ConnectError as ConnectError
    from toolgen.upstream.client.errors import ProtocolError as ProtocolError
    from toolgen.upstream.client.errors import UndeclaredContentWarning as UndeclaredContentWarning
    from toolgen.upstream.client.options import Progress as Progress
    from toolgen.upstream.client.questions import Question as Question
    from toolgen.upstream.client.sync_client import SyncToolClient as SyncToolClient
    from toolgen.upstream.client.tool import ClientTool as ClientTool
    from toolgen.upstream.client.tool_client import ToolClient as ToolClient

_HOMES = {
    "arguments": ("OMIT", "Omit"),
    "drift": ("ContractDriftError", "ContractDriftWarning"),
    "errors": ("ConnectError", "ProtocolError", "ToolError", "UndeclaredContentWarning"),
    "options": ("Progress",),
    "questions": ("Question",),
    "sync_client": ("SyncToolClient",),
    "tool": ("Block", "ClientTool", "ToolResult"),
    "tool_client": ("ToolClient",),
}
__all__ = [name for names in _HOMES.values() for name in names]  # pyright: ignore[reportUnsupportedDunderAll]

__getattr__ = lazy_names(__name__, _HOMES, package="toolgen.upstream.client")
