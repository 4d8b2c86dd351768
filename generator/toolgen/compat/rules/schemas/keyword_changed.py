"""keyword-changed: a keyword that JSON Schema does not define changed.

Such keywords (`x-unit`, `nullable`) are published and not enforced. Clients may act on them.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import OTHER_KEYWORD, Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="keyword-changed",
    claims=claims((OTHER_KEYWORD,), Edit.ADDED, Edit.REMOVED, Edit.CHANGED),
    advice="use keywords of JSON Schema for what must hold",
)
