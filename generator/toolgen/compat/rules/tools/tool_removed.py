"""tool-removed: a tool is gone, or disabled.

Callers are answered `unknown_tool`. A tool that is deprecated may be removed after the day in
`deprecated.sunset`.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import OtherRule

RULE: Final = OtherRule(
    code="tool-removed",
    advice="deprecate it first, with a `sunset`; or keep its name as an alias of the tool that replaces it",
    category=Category.WIRE,
    level=Level.ERROR,
)
