"""type-narrowed: a value must be of fewer types, or of another type.

`type` was added, lost one of its types, or names another one: `number` became `integer`, `string` became
`object`. Requests with a value of a former type are refused.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="type-narrowed",
    claims=claims(("type",), Edit.ADDED, Edit.NARROWED, Edit.CHANGED),
    advice="accept both types, `type: [string, integer]`, or add a property with the new type",
)
