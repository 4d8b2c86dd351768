"""unsatisfiable-schema: a schema that no value satisfies.

Example:

    state: {type: string, enum: [open, closed], maxLength: 3}

Use instead:

    state: {type: string, enum: [open, closed]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.data.diagnostic import Diagnostic
from toolgen.lint.bound_schema import LintedSchema
from toolgen.schema.document import JsonPath
from toolgen.schema.keywords import CONSTRAINING
from toolgen.schema_proof.containment import Contained, check_containment
from toolgen.schema_proof.work import WorkBudget

_WORK: Final = 20_000  # of one schema: contradictions of an author are small
_SUSPICIOUS: Final = frozenset(("enum", "const", "allOf", "anyOf", "not", "oneOf", "required"))
"""Keywords without which only bounds could contradict each other, which has a rule of its own."""


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about a schema that is proved to accept nothing."""
    inner = {key: value for key, value in node.items() if key in CONSTRAINING}
    # references would need their definitions: what they lead to is looked at by itself
    if _SUSPICIOUS.isdisjoint(inner) or len(inner) < 2 or "not" in path or _refers(inner):
        return
    draft = schema.bound.schema.get("$schema")
    found = check_containment(
        {**inner, "$schema": draft} if draft else inner, False, effort=WorkBudget(_WORK)
    )
    if isinstance(found, Contained):
        yield Diagnostic(
            schema.bound.key(path) if path else schema.bound.value(path),
            "unsatisfiable-schema",
            "no value satisfies this schema",
            "look for keywords that contradict each other",
        )


def _refers(value: Any) -> bool:
    stack = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, dict):
            if "$ref" in each or "$dynamicRef" in each:
                return True
            stack += each.values()
        elif isinstance(each, list):
            stack += each
    return False
