"""array-widened: the items of an array may be others than before.

`items`, `prefixItems`, `contains` or a keyword for further items was removed or relaxed. For requests this
is safe. In responses, callers may receive items that they cannot read.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

_KEYWORDS: Final = ("items", "additionalItems", "unevaluatedItems", "contains")
_LISTS: Final = ("items", "prefixItems")

RULE: Final = SchemaRule(
    code="array-widened",
    claims=claims(_KEYWORDS, Edit.REMOVED, Edit.OPENED, Edit.ALLOWED)
    | claims(_LISTS, Edit.REMOVED, Edit.ENTRY_REMOVED),
    advice="keep the schema of the items",
)
