"""limit-loosened: a bound lets more values through.

A maximum was removed or raised, or a minimum was removed or lowered. For requests this is safe. In
responses, callers may receive values that the old contract ruled out: more items than they have room for, a
number below zero.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

_UPPER: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
_LOWER: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains")

RULE: Final = SchemaRule(
    code="limit-loosened",
    claims=claims(_UPPER, Edit.REMOVED, Edit.RAISED) | claims(_LOWER, Edit.REMOVED, Edit.LOWERED),
    advice="keep the bound of the response, or offer the wider values by a new property",
)
