"""limit-tightened: a bound lets fewer values through.

A maximum was set or lowered, or a minimum was set or raised: of a number, of a text's length, of the size
of an array or object. Callers whose requests were within the old bound are refused.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

_UPPER: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
_LOWER: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains")

RULE: Final = SchemaRule(
    code="limit-tightened",
    claims=claims(_UPPER, Edit.ADDED, Edit.LOWERED) | claims(_LOWER, Edit.ADDED, Edit.RAISED),
    advice="keep the old bound, and check the new one in the tool; or offer a new tool",
)
