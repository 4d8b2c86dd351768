"""property-added: an optional property was added.

If the object had `additionalProperties: false`, requests stay valid, and responses get a property that
callers did not allow. If it was open, the name was allowed before with any value: requests that used it
with a value that the new schema refuses are refused. Close the objects of requests to avoid this.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="property-added",
    claims=claims(("properties",), Edit.ENTRY_ADDED),
    advice="choose a name that nobody sends; close the objects of requests, so that additions are safe",
    response_advice="leave the objects of responses open from the start; or offer the property by a new tool",
)
