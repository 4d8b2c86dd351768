"""Forward tools, resources and prompts of another MCP server: what `import mcp --implement` writes needs it.

Importing this package imports nothing else: each name is loaded when it is first used. Needs the extra
`toolgen[mcp]` and nothing of the generator's dependencies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolgen.lazy_names import lazy_names

if TYPE_CHECKING:
    from .features import ForwardedFeatures
    from .tool import ForwardedTool
    from .upstream import Upstream

__all__ = ["ForwardedFeatures", "ForwardedTool", "Upstream"]

__getattr__ = lazy_names(
    __name__, {"ForwardedFeatures": "features", "ForwardedTool": "tool", "Upstream": "upstream"}
)
