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

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.base.suggestions import did_you_mean, quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedSchema
from toolgen.runtime.definition.unknown_fields import looks_like_schema
from toolgen.schema.document import Draft, JsonPath
from toolgen.schema.keywords import KEYWORDS
from toolgen.schema.validator import compiled


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about each required name that `additionalProperties: false` excludes."""
    declared = node.get("properties", {})
    for index, name in enumerate(node.get("required", ())):
        # a property that is not below `properties` is found as an unknown keyword
        is_misplaced = name not in KEYWORDS and looks_like_schema(node.get(name))
        if is_misplaced or not _is_forbidden(name, node):
            continue
        yield Diagnostic(
            schema.bound.value((*path, "required", index)),
            "unsatisfiable-required",
            f"{quoted(name)} is required, and additionalProperties: false forbids it",
            did_you_mean(name, declared) or "declare it under `properties`",
        )


def check_all_of(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about a part of an `allOf` that forbids what another part, or the schema around it, requires."""
    parts: list[tuple[JsonPath, Any]] = [(path, node)]
    parts += [((*path, "allOf", index), part) for index, part in enumerate(node["allOf"])]
    required = {name for _, part in parts if isinstance(part, dict) for name in part.get("required", ())}
    hint = "remove it, and write `unevaluatedProperties: false` beside `allOf`"
    if schema.draft is Draft.DRAFT_7:
        hint = "declare it in this part, too"
    for where, part in parts:
        # patterns of many parts would be matched with the names of many others
        if not isinstance(part, dict) or "$ref" in part or "patternProperties" in part:
            continue
        others = required.difference(part.get("required", ()))
        name = min((each for each in others if _is_forbidden(each, part)), default=None)
        if name is not None:
            yield Diagnostic(
                schema.bound.key((*where, "additionalProperties")),
                "unsatisfiable-required",
                f"{quoted(name)} is required, and additionalProperties: false of this part forbids it",
                hint,
            )


def _is_forbidden(name: str, node: Mapping[str, Any]) -> bool:
    if node.get("additionalProperties") is not False or name in node.get("properties", ()):
        return False
    return not any(_matches(pattern, name) for pattern in node.get("patternProperties", ()))


def _matches(pattern: str, name: str) -> bool:
    # The validator's engine bounds its work; Python's does not
    return bool(compiled({"pattern": pattern}).is_valid(name))
