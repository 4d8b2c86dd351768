"""Forward tools, resources and prompts of another MCP server: what `import mcp --implement` writes needs it.

Importing this package imports nothing else: each name is loaded when it is first used. Needs the extra
`toolgen[mcp]` and nothing of the generator's dependencies.
"""

from typing import TYPE_CHECKING

from toolgen.base import lazy_names

if TYPE_CHECKING:
    from .gateway.features import ForwardedFeatures
    from .gateway.tool import ForwardedTool
    from .gateway.upstream import Upstream

__all__ = ["ForwardedFeatures", "ForwardedTool", "Upstream"]

_HOMES = {
    "gateway.features": ("ForwardedFeatures",),
    "gateway.tool": ("ForwardedTool",),
    "gateway.upstream": ("Upstream",),
}

__getattr__ = lazy_names(__name__, _HOMES)
