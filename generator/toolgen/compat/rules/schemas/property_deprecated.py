"""property-deprecated: a part of a schema is now deprecated, or no longer is.

It works as before. Callers have time to stop using it.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="property-deprecated",
    claims=claims(("deprecated",), Edit.SET, Edit.CLEARED),
    advice="say in the description what to use instead",
)
