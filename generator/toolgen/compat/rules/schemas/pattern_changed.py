"""pattern-changed: the `pattern` of a text was added, removed or changed.

A new pattern refuses requests whose text was accepted. A pattern that is gone, or accepts more, lets
responses have texts that callers do not expect. A pattern that is only written differently breaks nobody.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="pattern-changed",
    claims=claims(("pattern",), Edit.ADDED, Edit.REMOVED, Edit.CHANGED),
    advice="let the new pattern match everything that the old one matches, and check the rest in the tool",
    response_advice="keep the pattern of the response, and add a property for other texts",
)
