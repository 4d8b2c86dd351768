"""enum-value-added: a value was added to an `enum`, or the `enum` was removed.

For requests this is safe. In responses, callers may receive a value that they do not know: a program that
handles each value of the list has no branch for it, and generated types refuse it.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="enum-value-added",
    claims=claims(("enum",), Edit.VALUE_ADDED, Edit.REMOVED),
    advice="add the value to requests only, or offer it by a new property",
)
