"""default-changed: the default of a property changed.

toolgen publishes defaults and never fills them in: callers and models read what happens if they leave the
property out. If the tool does something else now, calls without the property have another result.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Direction, Edit
from toolgen.compat.finding import Level
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="default-changed",
    claims=claims(("default",), Edit.ADDED, Edit.REMOVED, Edit.CHANGED),
    advice="keep the old behaviour for calls that leave the property out",
    levels={Direction.REQUEST: Level.WARNING, Direction.RESPONSE: Level.INFO},
)
