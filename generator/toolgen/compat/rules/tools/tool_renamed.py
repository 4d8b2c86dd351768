"""tool-renamed: a tool has another name, for all callers or for those of one target.

Prompts, allow-lists and recorded calls have the former one. If it is in `aliases` of the new version, calls
by it are answered, and nothing breaks. `targets.<target>.name` replaces the name for one target: what counts
is the name that the target lists.
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
