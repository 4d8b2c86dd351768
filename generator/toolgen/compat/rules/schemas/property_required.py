"""property-required: a property must be given that was optional, or did not exist.

Requests without the property are refused, even if the schema has a default. In responses this is safe for
callers.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="property-required",
    claims=claims(("properties",), Edit.ENTRY_ADDED_REQUIRED) | claims(("required",), Edit.NAME_ADDED),
    advice="make it optional, and choose the default in the tool",
)
