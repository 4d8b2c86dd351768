"""MCP, on the official SDK's low-level server; the SDK is imported when a server is built, not before."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .command import main
    from .listing import legacy_tools, mcp_tools
    from .server import build_server
    from .service import ToolServer
    from .transports.http import HttpApp, asgi_app

__all__ = ["HttpApp", "ToolServer", "asgi_app", "build_server", "legacy_tools", "main", "mcp_tools"]

_HOMES = {
    "HttpApp": "transports.http",
    "ToolServer": "service",
    "asgi_app": "transports.http",
    "build_server": "server",
    "legacy_tools": "listing",
    "main": "command",
    "mcp_tools": "listing",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
