"""response-schema-added: responses now have a schema.

Callers could receive any JSON value before, so nothing breaks for them. The implementation must keep to
the schema.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import OtherRule

RULE: Final = OtherRule(
    code="response-schema-added",
    advice="",
    category=Category.WIRE,
    level=Level.INFO,
)
