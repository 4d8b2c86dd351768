"""access-changed: a property is now marked read-only or write-only, or no longer is.

`readOnly` and `writeOnly` are annotations. Callers may leave out what is marked, or expect it.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Direction, Edit
from toolgen.compat.finding import Level
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="access-changed",
    claims=claims(("readOnly", "writeOnly"), Edit.SET, Edit.CLEARED),
    advice="say in the description who sets the property",
    levels={Direction.REQUEST: Level.WARNING, Direction.RESPONSE: Level.WARNING},
)
