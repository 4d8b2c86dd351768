"""Tools and features of an existing server, for modules that `toolgen import fastmcp --implement` writes.

Importing this package imports no framework: each name is loaded, with its framework, when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.base import lazy_names

if TYPE_CHECKING:
    from .fastmcp import FastMCPTool
    from .features import AdoptedFeatures
    from .mcp_server import MCPServerTool

__all__ = ["AdoptedFeatures", "FastMCPTool", "MCPServerTool"]

_HOMES = {"fastmcp": ("FastMCPTool",), "features": ("AdoptedFeatures",), "mcp_server": ("MCPServerTool",)}

__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
