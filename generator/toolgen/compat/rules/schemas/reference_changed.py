"""reference-changed: a reference changed that cannot be followed by itself.

References are followed, so that only what they refer to is compared: renaming a definition is no edit. This
rule is about the others: a `$ref` with keywords beside it that was added or removed, and references that
depend on the way to them (`$dynamicRef`).
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import EDITS, Edit, ValueKind
from toolgen.compat.rule import SchemaRule, claims

_KEYWORDS: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_FOLLOWED: Final = (Edit.FOLDED, Edit.UNFOLDED)

RULE: Final = SchemaRule(
    code="reference-changed",
    claims=claims(_KEYWORDS, *(each for each in EDITS[ValueKind.REFERENCE] if each not in _FOLLOWED)),
    advice="write the schema in place, or refer to it without keywords beside the reference",
)
