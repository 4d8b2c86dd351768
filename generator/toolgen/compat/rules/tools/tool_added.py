"""tool-added: there is a new tool.

No caller depends on it yet.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import OtherRule

RULE: Final = OtherRule(
    code="tool-added",
    advice="",
    category=Category.WIRE,
    level=Level.INFO,
)
