"""request-widened: requests that were refused are accepted.

Callers do not depend on it. The implementation receives requests that it has never seen.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import OtherRule

RULE: Final = OtherRule(
    code="request-widened",
    advice="check that the implementation handles such requests",
    category=Category.IMPL,
    level=Level.INFO,
)
