"""object-closed: an object accepts fewer further properties.

`additionalProperties` or `unevaluatedProperties` became false, or a schema. Requests with properties that
are not declared are refused.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

_KEYWORDS: Final = ("additionalProperties", "unevaluatedProperties")

RULE: Final = SchemaRule(
    code="object-closed",
    claims=claims(_KEYWORDS, Edit.ADDED, Edit.CLOSED, Edit.RESTRICTED, Edit.CHANGED),
    advice="declare the properties that callers send before you close the object",
)
