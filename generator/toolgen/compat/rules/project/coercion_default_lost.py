"""coercion-default-lost: strings that contain JSON are no longer decoded, unless a spec asks for it.

With `coerce`, a client that sends "5" for 5 is understood. Without it, its requests are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import SettingEdit, SettingRule
from toolgen.compat.settings import Settings


def check(old: Settings, new: Settings) -> Iterator[SettingEdit]:
    """Yield an edit if coercion was turned off for all tools."""
    if old.coerce and not new.coerce:
        yield SettingEdit("coerce", "requests of tools that do not set `coerce` are no longer coerced")


RULE: Final = SettingRule(
    code="coercion-default-lost",
    check=check,
    advice="keep `coerce`",
    category=Category.WIRE,
    level=Level.WARNING,
)
