"""multiple-of-changed: `multipleOf` was added, removed or changed.

A number must be a multiple of another one than before. A coarser step refuses requests that were accepted;
a finer step lets responses have values that callers did not expect.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import EDITS, ValueKind
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="multiple-of-changed",
    claims=claims(("multipleOf",), *EDITS[ValueKind.DIVISOR]),
    advice="let requests keep the finest step, and responses the coarsest",
)
