"""tool-removed-after-sunset: a deprecated tool is gone, as announced.

The day in `deprecated.sunset` of the old version has passed.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import OtherRule

RULE: Final = OtherRule(
    code="tool-removed-after-sunset",
    advice="",
    category=Category.WIRE,
    level=Level.INFO,
)
