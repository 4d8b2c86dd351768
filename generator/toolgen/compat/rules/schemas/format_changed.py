"""format-changed: the `format` of a text was added, removed or changed.

Formats are enforced: a new one refuses requests whose text was accepted; one that is gone lets responses
have texts that callers cannot parse.
"""

from __future__ import annotations

from typing import Final

from toolgen.compat.edit_space import Edit
from toolgen.compat.rule import SchemaRule, claims

RULE: Final = SchemaRule(
    code="format-changed",
    claims=claims(("format",), Edit.ADDED, Edit.REMOVED, Edit.CHANGED),
    advice="check the new format in the tool, and answer with a declared error",
    response_advice="keep the format of the response, and add a property with the new one",
)
