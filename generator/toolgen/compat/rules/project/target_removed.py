"""target-removed: code for a target is no longer generated.

The adapter of a provider, or the MCP server, is gone: code that imports it fails, and clients find no
server.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import SettingEdit, SettingRule
from toolgen.compat.settings import Settings
from toolgen.suggestions import quoted


def check(old: Settings, new: Settings) -> Iterator[SettingEdit]:
    """Yield an edit for each target that is gone."""
    for target in sorted(old.targets - new.targets):
        yield SettingEdit("targets", f"target {quoted(target)} removed", target)


RULE: Final = SettingRule(
    code="target-removed",
    check=check,
    advice="keep the target in `targets`",
    category=Category.WIRE,
    level=Level.ERROR,
)
