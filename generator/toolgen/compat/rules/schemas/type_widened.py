"""type-widened: a value may be of further types.

`type` was removed or got a further type: `integer` became `number`, `string` became `[string, 'null']`. For
requests this is safe. In responses, callers may receive a value of a type that they do not read.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="type-widened",
    claims=claims(("type",), Edit.REMOVED, Edit.WIDENED),
    advice="keep the type of the response, and add a property with the wider type",
)
