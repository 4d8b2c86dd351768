"""version-decreased: the version is lower than before.

Versions only grow: clients and people take the higher one for the newer one.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import OtherRule

RULE: Final = OtherRule(
    code="version-decreased",
    advice="choose a higher version",
    category=Category.WIRE,
    level=Level.ERROR,
)
