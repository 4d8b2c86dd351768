"""instructions-changed: the instructions of the MCP server changed.

Models read them: they may call tools at other times. A change that nobody reviewed can mislead a model
("rug pull").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import SettingEdit, SettingRule
from toolgen.compat.settings import Settings


def check(old: Settings, new: Settings) -> Iterator[SettingEdit]:
    """Yield an edit if the instructions changed."""
    if old.instructions != new.instructions:
        yield SettingEdit(
            "instructions", "the server's instructions changed", [old.instructions, new.instructions]
        )


RULE: Final = SettingRule(
    code="instructions-changed",
    check=check,
    advice="read the new text as a model would",
    category=Category.AGENT,
    level=Level.WARNING,
)
