"""all-of-changed: a part of `allOf` was added or removed.

A further part refuses requests that were accepted. A part that is gone lets responses have values that
callers do not expect. A part that says nothing new breaks nobody.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="all-of-changed",
    claims=claims(("allOf",), Edit.ADDED, Edit.REMOVED, Edit.ENTRY_ADDED, Edit.ENTRY_REMOVED),
    advice="write the keywords in one schema: what changed is easier to see",
)
