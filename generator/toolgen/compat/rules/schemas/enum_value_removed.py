"""enum-value-removed: a value of an `enum` is gone, or an `enum` was added.

Requests with a value that is no longer listed are refused. In responses this is safe.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="enum-value-removed",
    claims=claims(("enum",), Edit.VALUE_REMOVED, Edit.ADDED),
    advice="keep the value, and answer it with a declared error or as its replacement",
)
