"""object-opened: an object may have further properties.

`additionalProperties` or `unevaluatedProperties` was removed, or became true or a schema. For requests this
is safe. In responses, callers may receive properties that the old contract ruled out.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

_KEYWORDS: Final = ("additionalProperties", "unevaluatedProperties")

RULE: Final = SchemaRule(
    code="object-opened",
    claims=claims(_KEYWORDS, Edit.REMOVED, Edit.OPENED, Edit.ALLOWED),
    advice="declare the properties of the response instead of opening it",
)
