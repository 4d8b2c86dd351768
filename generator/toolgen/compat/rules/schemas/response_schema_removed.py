"""response-schema-removed: responses may be any JSON value.

Without `output_schema`, nothing is promised about responses: callers that read them by the old schema may
fail.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import OtherRule

RULE: Final = OtherRule(
    code="response-schema-removed",
    advice="keep `output_schema`",
    category=Category.WIRE,
    level=Level.ERROR,
)
