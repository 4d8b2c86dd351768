"""target-added: code for one more target is generated.

Nobody depends on it yet. Definitions of other targets stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import SettingEdit, SettingRule
from toolgen.compat.settings import Settings
from toolgen.suggestions import quoted


def check(old: Settings, new: Settings) -> Iterator[SettingEdit]:
    """Yield an edit for each new target."""
    for target in sorted(new.targets - old.targets):
        yield SettingEdit("targets", f"target {quoted(target)} added", target)


RULE: Final = SettingRule(
    code="target-added",
    check=check,
    advice="",
    category=Category.WIRE,
    level=Level.INFO,
)
