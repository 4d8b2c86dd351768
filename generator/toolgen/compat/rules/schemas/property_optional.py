"""property-optional: a property is no longer required.

For requests this is safe. Responses may come without the property, and callers that read it fail.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="property-optional",
    claims=claims(("required",), Edit.NAME_REMOVED),
    advice="keep it required in the response, with a value that means none if need be",
)
