"""acceptance-unused: an accepted change did not occur.

No finding matches the entry in `breaking.toml`: the change was undone, or is part of what is compared
with.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import OtherRule

RULE: Final = OtherRule(
    code="acceptance-unused",
    advice="remove the entry",
    category=Category.WIRE,
    level=Level.WARNING,
)
