"""unsatisfiable-schema: a schema that no value satisfies.

Example:

    state: {type: string, enum: [open, closed], maxLength: 3}

Use instead:

    state: {type: string, enum: [open, closed]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedSchema
from toolgen.proof.containment import Contained, check_containment
from toolgen.proof.work import WorkBudget
from toolgen.schema.document import JsonPath
from toolgen.schema.keywords import CONSTRAINING

_WORK: Final = 20_000  # of one schema: contradictions of an author are small
_COMBINING: Final = frozenset(("allOf", "anyOf", "not", "oneOf"))
_TYPED_VALUES: Final = frozenset(("type", "enum", "const"))


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about a schema none of whose listed values is valid, or that is proved to accept nothing."""
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
    listed = node["enum"] if "enum" in node else [node["const"]] if "const" in node else None
    if listed is None and _COMBINING.isdisjoint(inner):
        return  # bounds and required names have rules of their own
    # references would need their definitions: what they lead to is looked at by itself
    if _refers(inner):
        return
    if listed is not None:
        is_empty = not _TYPED_VALUES.issuperset(inner) and not _accepts_any(schema, path, node, listed)
    else:
        draft = schema.bound.schema.get("$schema")
        whole = {**inner, "$schema": draft} if draft else inner
        is_empty = isinstance(check_containment(whole, False, effort=WorkBudget(_WORK)), Contained)
    if is_empty:
        hint = "look for keywords that contradict each other"
        if listed and (keyword := _refusing(schema, path, node, listed[0])):
            hint = f"{keyword} refuses every value that is listed: correct one of the two"
        yield Diagnostic(
            schema.bound.key(path) if path else schema.bound.value(path),
            "unsatisfiable-schema",
            "no value satisfies this schema",
            hint,
        )


def _refusing(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any], value: Any) -> str:
    """Return the keyword of `node` that refuses a value; empty if it cannot be told."""
    validator = schema.validator_of(path, node)
    if validator is None:
        return ""
    found = next(validator.iter_errors(value), None)
    return str(found.schema_path[0]) if found and found.schema_path else ""


def _accepts_any(
    schema: LintedSchema, path: JsonPath, node: Mapping[str, Any], values: Sequence[Any]
) -> bool:
    if not all(schema.explains(value, node) for value in values):
        return True  # to tell would take too long, and so may building the validator
    validator = schema.validator_of(path, node)
    return validator is None or any(map(validator.is_valid, values))


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
