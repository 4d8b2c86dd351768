"""encoding-changed: the encoding or the media type of a text changed.

`contentEncoding`, `contentMediaType` and `contentSchema` tell callers how to read a text. Draft-07 enforces
the first two; in 2020-12 they are annotations, and callers that decode by them read something else.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import EDITS, Direction, Edit, ValueKind
from toolgen.compat.finding import Level
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="encoding-changed",
    claims=claims(("contentEncoding", "contentMediaType"), Edit.ADDED, Edit.REMOVED, Edit.CHANGED)
    | claims(("contentSchema",), *EDITS[ValueKind.SCHEMA]),
    advice="add a property with the new encoding",
    levels={Direction.REQUEST: Level.WARNING, Direction.RESPONSE: Level.WARNING},
)
