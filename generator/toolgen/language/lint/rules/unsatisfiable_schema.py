"""unsatisfiable-schema: a schema that no value satisfies.

Example:

    state: {type: string, enum: [open, closed], maxLength: 3}

Use instead:

    state: {type: string, enum: [open, closed]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedSchema
from toolgen.proof.containment import Contained, check_containment
from toolgen.proof.work import WorkBudget
from toolgen.schema.document import JsonPath
from toolgen.schema.keywords import CONSTRAINING

_WORK: Final = 20_000  # of one schema: contradictions of an author are small
_TELLING: Final = frozenset(("allOf", "anyOf", "const", "enum", "not", "oneOf"))
_TYPED_VALUES: Final = frozenset(("type", "enum", "const"))


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about a schema that is proved to accept nothing."""
    if node.get("enum") == []:
        yield Diagnostic(
            schema.bound.key((*path, "enum")),
            "unsatisfiable-schema",
            "an empty `enum` allows no value",
            "list the values, or remove it",
        )
        return
    inner = {key: value for key, value in node.items() if key in CONSTRAINING}
    if (len(inner) < 2 and "oneOf" not in inner) or "not" in path:
        return
    if not inner.keys() & _TELLING:
        return  # bounds and required names have rules of their own
    # references would need their definitions: what they lead to is looked at by itself
    if _TYPED_VALUES.issuperset(inner) or _refers(inner):
        return
    draft = schema.bound.schema.get("$schema")
    whole = {**inner, "$schema": draft} if draft else inner
    if isinstance(check_containment(whole, False, effort=WorkBudget(_WORK)), Contained):
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
