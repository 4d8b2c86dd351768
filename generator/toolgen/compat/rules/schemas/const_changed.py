"""const-changed: `const` was added, removed or changed.

The one allowed value is another one, or there was none before. Requests with the former value are refused;
in responses, callers may receive a value that they do not know.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="const-changed",
    claims=claims(("const",), Edit.ADDED, Edit.REMOVED, Edit.CHANGED),
    advice="list both values in an `enum`",
    response_advice="keep the value, and add a property for the other one",
)
