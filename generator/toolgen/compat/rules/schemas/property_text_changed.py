"""property-text-changed: a description, a title or an example in a schema changed.

Models read these texts to decide what to send. A changed description can change what they do, and a server
that changes it after it was approved may do so on purpose (a rug pull): read the new text as you would read
code.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Direction, Edit
from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="property-text-changed",
    claims=claims(("description", "title"), Edit.ADDED, Edit.REMOVED, Edit.CHANGED)
    | claims(("examples",), Edit.ADDED, Edit.REMOVED, Edit.VALUE_ADDED, Edit.VALUE_REMOVED),
    advice="read the new text: it is part of every prompt that has the tool",
    category=Category.AGENT,
    levels={Direction.REQUEST: Level.WARNING, Direction.RESPONSE: Level.WARNING},
)
