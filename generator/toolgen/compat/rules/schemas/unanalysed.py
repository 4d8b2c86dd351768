"""unanalysed: it could not be decided whether a change breaks.

No value was found that shows a break, and it was not proved that there is none. Exit code 1, unless
`--allow-unanalysed` is given.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import OtherRule

RULE: Final = OtherRule(
    code="unanalysed",
    advice="compare by eye, then accept the change in `breaking.toml`, or use --allow-unanalysed",
    category=Category.WIRE,
    level=Level.WARNING,
)
