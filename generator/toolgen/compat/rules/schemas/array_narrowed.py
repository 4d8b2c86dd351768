"""array-narrowed: the items of an array have a stricter schema.

`items`, `prefixItems`, `contains` or a keyword for further items was added, or became false. Requests with
other items are refused.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

_KEYWORDS: Final = ("items", "additionalItems", "unevaluatedItems", "contains")
_LISTS: Final = ("items", "prefixItems")

RULE: Final = SchemaRule(
    code="array-narrowed",
    claims=claims(_KEYWORDS, Edit.ADDED, Edit.CLOSED, Edit.RESTRICTED, Edit.CHANGED)
    | claims(_LISTS, Edit.ADDED, Edit.ENTRY_ADDED),
    advice="accept both kinds of items, with `anyOf`",
    response_advice="keep the schema of the items",
)
