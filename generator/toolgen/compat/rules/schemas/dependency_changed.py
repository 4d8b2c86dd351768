"""dependency-changed: what a property requires of the rest of the object changed.

`dependentRequired`, `dependentSchemas` or `dependencies` changed: with one property, others must be given,
or the object must match a further schema.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import EDITS, Edit, ValueKind
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="dependency-changed",
    claims=claims(("dependentRequired", "dependencies"), *EDITS[ValueKind.NAME_LISTS])
    | claims(("dependentSchemas", "dependencies"), *EDITS[ValueKind.SCHEMA_MAP])
    | claims(("dependencies",), Edit.CHANGED),
    advice="check the dependency in the tool, and answer with a declared error",
    response_advice="keep the dependency of the response, or offer a new tool",
)
