"""Rules about schemas that contradict themselves, so that no value, or no default, is valid."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolgen.base.suggestions import did_you_mean, quoted, shortened
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedNode
from toolgen.proof.containment import Contained, check_containment
from toolgen.proof.work import WorkBudget
from toolgen.runtime.definition.unknown_fields import looks_like_schema
from toolgen.schema.document import Draft, JsonPath, is_type, subschemas
from toolgen.schema.keywords import CONSTRAINING, KEYWORDS, REFERENCES
from toolgen.schema.validator import compiled

_LOWER: Final = {
    "minimum": ("maximum", "exclusiveMaximum"),
    "exclusiveMinimum": ("maximum", "exclusiveMaximum"),
    "minLength": ("maxLength",),
    "minItems": ("maxItems",),
    "minProperties": ("maxProperties",),
    "minContains": ("maxContains",),
}
"""Each lower bound with the upper ones that it may contradict."""


def contradicting_bounds(part: LintedNode) -> Iterator[Diagnostic]:
    """contradicting-bounds: a lower bound above the upper one, so that no value is valid.

    Example:

        quantity: {type: integer, minimum: 10, maximum: 1}

    Use instead:

        quantity: {type: integer, minimum: 1, maximum: 10}
    """
    node = part.keywords
    for low, uppers in _LOWER.items():
        for high in uppers:
            if low not in node or high not in node:
                continue
            is_open = low.startswith("exclusive") or high.startswith("exclusive")
            bounds = f"{low} {node[low]} and {high} {node[high]} leave no"
            if node[low] > node[high] or (is_open and node[low] == node[high]):
                found = f"{bounds} value", "correct one of them; perhaps they are exchanged"
            elif node.get("type") == "integer" and _least(node, low) > _greatest(node, high):
                found = f"{bounds} whole number", "write `type: number`, or correct one of them"
            else:
                continue
            yield Diagnostic(part.value(low), "contradicting-bounds", *found)
    least, declared = node.get("minProperties", 0), len(node.get("properties", ()))
    if least > declared and node.get("additionalProperties") is False and not node.get("patternProperties"):
        yield Diagnostic(
            part.value("minProperties"),
            "contradicting-bounds",
            f"minProperties {least} and {declared} declared properties leave no value",
            "correct minProperties, or declare more `properties`",
        )


def _least(node: Mapping[str, Any], low: str) -> int:
    bound: float = node[low]
    return math.floor(bound) + 1 if low.startswith("exclusive") else math.ceil(bound)


def _greatest(node: Mapping[str, Any], high: str) -> int:
    bound: float = node[high]
    return math.ceil(bound) - 1 if high.startswith("exclusive") else math.floor(bound)


_TYPE_ONLY = frozenset(("type", "title", "description", "default"))


def default_violates_schema(part: LintedNode) -> Iterator[Diagnostic]:
    """default-violates-schema: a `default` that its own schema refuses.

    Example:

        quantity: {type: integer, minimum: 1, default: 0}

    Use instead:

        quantity: {type: integer, minimum: 1, default: 1}
    """
    node = part.keywords
    value, kind = node["default"], node.get("type")
    if node.keys() <= _TYPE_ONLY and isinstance(kind, str) and is_type(value, kind):
        return  # the usual case, without a validator
    # common in generated schemas, and means that the argument may be left out
    if value is None or not part.schema.explains(value, node):
        return
    validator = part.schema.validator_of(part.path, node)
    if validator is None:
        return
    if value == "None" and validator.is_valid(None):
        message, hint = "the default is the text 'None', and not null", "write `default: null`"
    elif error := next(iter(validator.iter_errors(value)), None):
        message = f"the default is not valid for its own schema: {shortened(error.message)}"
        hint = "it is published unchanged, and never sent"
    else:
        return
    yield Diagnostic(part.value("default"), "default-violates-schema", message, hint)


def enum_outside_type(part: LintedNode) -> Iterator[Diagnostic]:
    """enum-outside-type: a value of `enum` or `const` that `type` does not allow.

    Example:

        agent: {type: string, enum: [006, 007]}

    Use instead:

        agent: {type: string, enum: ["006", "007"]}
    """
    node = part.keywords
    written = node.get("type")
    kinds = [written] if isinstance(written, str) else written
    if not kinds:
        return
    values: list[tuple[JsonPath, Any]] = [
        (("enum", index), value) for index, value in enumerate(node.get("enum", ()))
    ]
    values += [(("const",), node["const"])] if "const" in node else []
    for where, value in values:
        if not any(is_type(value, kind) for kind in kinds):
            shown = shortened(json.dumps(value, ensure_ascii=False))
            yield Diagnostic(
                part.value(*where),
                "enum-outside-type",
                f"{shown} is not of type {' or '.join(kinds)}, so no value can equal it",
                _hint(kinds, where),
            )


def _hint(kinds: Sequence[str], where: JsonPath) -> str:
    if "string" in kinds:
        return "quote it if text is meant"
    if "array" in kinds and where[0] == "enum":
        return "move `enum` into `items`, if it lists what each item may be"
    return "remove it, or change the type"


def unsatisfiable_required(part: LintedNode) -> Iterator[Diagnostic]:
    """unsatisfiable-required: a required property that the schema forbids, so that no object is valid.

    Example:

        required: [supplier_id]
        additionalProperties: false
        properties: {name: {type: string}}

    Use instead:

        required: [supplier_id]
        additionalProperties: false
        properties: {name: {type: string}, supplier_id: {type: integer}}
    """
    node = part.keywords
    declared = node.get("properties", {})
    for index, name in enumerate(node.get("required", ())):
        # a property that is not below `properties` is found as an unknown keyword
        is_misplaced = name not in KEYWORDS and looks_like_schema(node.get(name))
        if is_misplaced or not _is_forbidden(name, node):
            continue
        yield Diagnostic(
            part.value("required", index),
            "unsatisfiable-required",
            f"{quoted(name)} is required, and additionalProperties: false forbids it",
            did_you_mean(name, declared) or "declare it under `properties`",
        )


def unsatisfiable_all_of(part: LintedNode) -> Iterator[Diagnostic]:
    """Warn about a part of an `allOf` that forbids what another part, or the schema around it, requires."""
    parts: list[tuple[JsonPath, Any]] = [((), part.keywords)]
    parts += [(("allOf", index), each) for index, each in enumerate(part.keywords["allOf"])]
    required = {name for _, each in parts if isinstance(each, dict) for name in each.get("required", ())}
    hint = "remove it, and write `unevaluatedProperties: false` beside `allOf`"
    if part.schema.draft is Draft.DRAFT_7:
        hint = "declare it in this part, too"
    for where, each in parts:
        # patterns of many parts would be matched with the names of many others
        if not isinstance(each, dict) or "$ref" in each or "patternProperties" in each:
            continue
        others = required.difference(each.get("required", ()))
        name = min((other for other in others if _is_forbidden(other, each)), default=None)
        if name is not None:
            yield Diagnostic(
                part.key(*where, "additionalProperties"),
                "unsatisfiable-required",
                f"{quoted(name)} is required, and additionalProperties: false of this part forbids it",
                hint,
            )


def _is_forbidden(name: str, node: Mapping[str, Any]) -> bool:
    if node.get("additionalProperties") is not False or name in node.get("properties", ()):
        return False
    # The validator's engine bounds its work; Python's does not
    patterns = node.get("patternProperties", ())
    return not any(compiled({"pattern": pattern}).is_valid(name) for pattern in patterns)


_WORK: Final = 20_000  # of one schema: contradictions of an author are small
_TELLING: Final = frozenset(("allOf", "anyOf", "const", "enum", "not", "oneOf"))
_TYPED_VALUES: Final = frozenset(("type", "enum", "const"))
_REFERENCES: Final = frozenset(REFERENCES)


def unsatisfiable_schema(part: LintedNode) -> Iterator[Diagnostic]:
    """unsatisfiable-schema: a schema that no value satisfies.

    Example:

        state: {type: string, enum: [open, closed], maxLength: 3}

    Use instead:

        state: {type: string, enum: [open, closed]}
    """
    node, path = part.keywords, part.path
    if node.get("enum") == []:
        yield Diagnostic(
            part.key("enum"),
            "unsatisfiable-schema",
            "an empty `enum` allows no value",
            "list the values, or remove it",
        )
        return
    inner = {key: value for key, value in node.items() if key in CONSTRAINING}
    if (len(inner) < 2 and "oneOf" not in inner) or "not" in path:
        return
    # bounds, required names, and values of a type have rules of their own
    if not inner.keys() & _TELLING or _TYPED_VALUES.issuperset(inner):
        return
    # references would need their definitions: what they lead to is looked at by itself
    if any(not _REFERENCES.isdisjoint(each) for _, each in subschemas(inner)):
        return
    draft = part.schema.bound.schema.get("$schema")
    whole = {**inner, "$schema": draft} if draft else inner
    if isinstance(check_containment(whole, False, effort=WorkBudget(_WORK)), Contained):
        yield Diagnostic(
            part.key() if path else part.value(),
            "unsatisfiable-schema",
            "no value satisfies this schema",
            "look for keywords that contradict each other",
        )
