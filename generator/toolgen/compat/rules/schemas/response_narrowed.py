"""response-narrowed: responses that were allowed are refused.

Callers do not depend on it. An implementation that still returns such a response is answered
`invalid_response`.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import OtherRule

RULE: Final = OtherRule(
    code="response-narrowed",
    advice="check that the implementation does not return such responses",
    category=Category.IMPL,
    level=Level.WARNING,
)
