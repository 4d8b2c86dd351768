"""Scopes and consent for tests that are not about them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toolgen.runtime import Confirmation, ToolConfig, Toolkit, ToolResponse
from toolgen.runtime.settings import Settings
from toolgen.testing.signing import people_with_test_keys

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


class Agreeing:
    """A user who agrees to everything; what was asked is in `asked`."""

    def __init__(self) -> None:
        self.asked: list[Confirmation] = []

    async def __call__(self, confirmation: Confirmation) -> bool:
        self.asked.append(confirmation)
        return True


async def call(toolkit: Toolkit, name: str, arguments: Any, **options: Any) -> ToolResponse:
    """Call a tool with all scopes; its user confirms, and people sign."""
    with people_with_test_keys(toolkit) as people:
        agreed = {"confirm": agree, "show_approval": people.sign_as_needed, "scopes": SCOPES}
        return await toolkit.call(name, arguments, **{**agreed, **options})
