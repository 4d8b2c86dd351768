"""order-changed: values are listed in another order.

The order of an `enum`, of `required`, of `type` or of the branches of a union changed. The same values are
valid; models may prefer what comes first, and positions in generated code change.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.finding import Category
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="order-changed",
    claims=claims(("enum", "examples", "required", "type"), Edit.REORDERED)
    | claims(("anyOf", "oneOf", "allOf", "prefixItems", "items"), Edit.REORDERED),
    advice="keep the order, and add new values at the end",
    category=Category.AGENT,
)
