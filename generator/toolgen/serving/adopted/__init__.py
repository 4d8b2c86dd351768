"""Tools and features of an existing server, for modules that `toolgen import fastmcp --implement` writes.

Importing this package imports no framework: each name is loaded, with its framework, when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .fastmcp import FastMCPFeatures, FastMCPTool
    from .mcp_server import MCPServerFeatures, MCPServerTool

__all__ = ["FastMCPFeatures", "FastMCPTool", "MCPServerFeatures", "MCPServerTool"]

_HOMES = {
    "FastMCPFeatures": "fastmcp",
    "FastMCPTool": "fastmcp",
    "MCPServerFeatures": "mcp_server",
    "MCPServerTool": "mcp_server",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
