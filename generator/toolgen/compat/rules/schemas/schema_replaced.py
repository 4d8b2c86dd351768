"""schema-replaced: a schema became `true` or `false`, or was one of them.

A property, a branch or an item that was described by a schema now accepts everything, or nothing; or the
other way round.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="schema-replaced",
    claims=claims(
        ("properties", "patternProperties", "anyOf", "oneOf", "allOf", "prefixItems", "items"),
        Edit.ENTRY_CHANGED,
    ),
    advice="describe the values by a schema on both sides",
)
