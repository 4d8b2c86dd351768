"""union-narrowed: a union lost a branch, or was added.

A branch of `anyOf` or `oneOf` is gone, or the keyword was added. Requests that only that branch accepted
are refused. A branch that is removed from `oneOf` may also make values valid that two branches accepted.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="union-narrowed",
    claims=claims(("anyOf", "oneOf"), Edit.ADDED, Edit.ENTRY_REMOVED),
    advice="keep the branch, and answer its values with a declared error",
)
