"""unique-items-changed: the items of an array must now differ, or no longer need to.

With `uniqueItems: true`, requests that repeat an item are refused. Without it, callers may receive an item
twice.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="unique-items-changed",
    claims=claims(("uniqueItems",), Edit.SET, Edit.CLEARED),
    advice="remove repeated items in the tool instead of refusing them",
    response_advice="keep the items of the response different from each other",
)
