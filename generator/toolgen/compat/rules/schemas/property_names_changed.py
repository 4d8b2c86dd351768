"""property-names-changed: rules for the names of properties changed.

`patternProperties` or `propertyNames` changed: properties with certain names have another schema, or
certain names are no longer allowed.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import EDITS, Edit, ValueKind
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="property-names-changed",
    claims=claims(("patternProperties",), Edit.ENTRY_ADDED, Edit.ENTRY_REMOVED)
    | claims(("propertyNames",), *EDITS[ValueKind.SCHEMA]),
    advice="let requests keep the names that were allowed",
    response_advice="keep the rules for the names in responses, or offer a new tool",
)
