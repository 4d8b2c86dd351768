"""tool-renamed: a tool has another name.

If the former name is in `aliases` of the new version, calls by it are answered, and nothing breaks.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import OtherRule

RULE: Final = OtherRule(
    code="tool-renamed",
    advice="add the former name to `aliases`",
    category=Category.WIRE,
    level=Level.ERROR,
)
