"""property-removed: a property was removed.

If the object is closed (`additionalProperties: false`), requests with the property are refused; if it is
open, the property is accepted and no longer has an effect. Callers that read a removed property of a
response fail.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Direction, Edit
from toolgen.compat.finding import Level
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="property-removed",
    claims=claims(("properties",), Edit.ENTRY_REMOVED),
    advice="keep the property with `deprecated: true` until nobody uses it",
    levels={Direction.REQUEST: Level.WARNING, Direction.RESPONSE: Level.WARNING},
)
