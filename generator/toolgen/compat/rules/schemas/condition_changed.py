"""condition-changed: a condition was added, removed or replaced.

`if`, `then`, `else` or `not` changed. A further condition refuses requests that were accepted; one that is
gone lets responses have values that callers do not expect.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import EDITS, ValueKind
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="condition-changed",
    claims=claims(("if", "then", "else", "not"), *EDITS[ValueKind.SCHEMA]),
    advice="check the condition in the tool, and answer with a declared error",
    response_advice="keep the condition of the response, or offer a new tool",
)
