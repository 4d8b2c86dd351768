"""MCP, on the official SDK's low-level server; the SDK is imported when a server is built, not before."""

from typing import TYPE_CHECKING

from toolgen.base import lazy_names

if TYPE_CHECKING:
    from .command import main
    from .listed_tool import legacy_tools, mcp_tools
    from .server import ToolServer, build_server
    from .transports.http import HttpApp, asgi_app

__all__ = ["HttpApp", "ToolServer", "asgi_app", "build_server", "legacy_tools", "main", "mcp_tools"]

_HOMES = {
    "command": ("main",),
    "listed_tool": ("legacy_tools", "mcp_tools"),
    "server": ("ToolServer", "build_server"),
    "transports.http": ("HttpApp", "asgi_app"),
}

__getattr__ = lazy_names(__name__, _HOMES)
