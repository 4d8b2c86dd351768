"""schema-changed: several edits of a schema break together.

None of the edits breaks by itself, or none can be tried by itself, but the schemas differ as the value
shows.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import OtherRule

RULE: Final = OtherRule(
    code="schema-changed",
    advice="make one edit at a time",
    category=Category.WIRE,
    level=Level.ERROR,
)
