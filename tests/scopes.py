"""Scopes and consent for tests that are not about them."""

from __future__ import annotations

from dataclasses import replace

from toolgen.runtime import Confirmation, ToolConfig
from toolgen.runtime.settings import Settings

from generated import catalog

SCOPES = frozenset(
    scope for tool in catalog.TOOLS.values() for scope in tool.get("auth", {}).get("scopes", ())
)


def granting(config: ToolConfig | None = None) -> ToolConfig:
    """A configuration whose MCP servers grant all scopes to the user who starts them."""
    return replace(config or ToolConfig(), settings=Settings(scopes=tuple(sorted(SCOPES))))


async def agree(confirmation: Confirmation) -> bool:
    """Confirm every call, as a user who agrees to everything."""
    return True
