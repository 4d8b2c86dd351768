"""acceptance-expired: an accepted change has expired.

The day in `expires` has passed: the change counts again.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import OtherRule

RULE: Final = OtherRule(
    code="acceptance-expired",
    advice="undo the change; or move the date, with a reason",
    category=Category.WIRE,
    level=Level.ERROR,
)
