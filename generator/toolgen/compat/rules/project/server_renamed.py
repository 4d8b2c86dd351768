"""server-renamed: the MCP server has another name.

Clients that configure or approve servers by name take it for a new one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import SettingEdit, SettingRule
from toolgen.compat.settings import Settings
from toolgen.suggestions import quoted


def check(old: Settings, new: Settings) -> Iterator[SettingEdit]:
    """Yield an edit if the server's name changed."""
    if old.server_name != new.server_name:
        message = f"server {quoted(old.server_name)} was renamed to {quoted(new.server_name)}"
        yield SettingEdit("server_name", message)


RULE: Final = SettingRule(
    code="server-renamed",
    check=check,
    advice="set `name` in `[server]` to the former name",
    category=Category.WIRE,
    level=Level.WARNING,
)
