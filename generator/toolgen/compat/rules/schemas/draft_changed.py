"""draft-changed: a schema is written in another draft of JSON Schema.

Some keywords mean something else, or nothing: draft-07 ignores what stands beside a `$ref`, and `items`
with a list became `prefixItems`. The two schemas are compared as a whole.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="draft-changed",
    claims=claims(("$schema",), Edit.ADDED, Edit.REMOVED, Edit.CHANGED),
    advice="check with the examples of the spec that the meaning is the same",
)
