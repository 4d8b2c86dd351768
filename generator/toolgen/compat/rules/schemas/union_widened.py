"""union-widened: a union got a branch, or was removed.

A branch was added to `anyOf` or `oneOf`, or the keyword was removed. For requests this is mostly safe; a
further branch of `oneOf` refuses values that now two branches accept. In responses, callers may receive a
kind of value that they do not know.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="union-widened",
    claims=claims(("anyOf", "oneOf"), Edit.REMOVED, Edit.ENTRY_ADDED),
    advice="add the branch to requests only, and let branches of `oneOf` exclude each other by a tag",
)
