"""unsatisfiable-required: a required property that the schema forbids, so that no object is valid.

Example:

    required: [supplier_id]
    additionalProperties: false
    properties: {supplier: {type: integer}}

Use instead:

    required: [supplier_id]
    additionalProperties: false
    properties: {supplier_id: {type: integer}}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.data.diagnostic import Diagnostic
from toolgen.lint.bound_schema import LintedSchema
from toolgen.runtime.definition.field_hints import looks_like_schema
from toolgen.schema.document import JsonPath
from toolgen.schema.validator import compiled
from toolgen.suggestions import did_you_mean, quoted


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about each required name that `additionalProperties: false` excludes."""
    declared = node.get("properties", {})
    for index, name in enumerate(node.get("required", ())):
        # a property that is not below `properties` is found as an unknown keyword
        if not _is_forbidden(name, node) or looks_like_schema(node.get(name)):
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
    required = [name for _, part in parts if isinstance(part, dict) for name in part.get("required", ())]
    for where, part in parts:
        if not isinstance(part, dict) or "$ref" in part:
            continue
        forbidden = (name for name in required if _is_forbidden(name, part))
        name = next((name for name in forbidden if name not in part.get("required", ())), None)
        if name is not None:
            yield Diagnostic(
                schema.bound.key((*where, "additionalProperties")),
                "unsatisfiable-required",
                f"{quoted(name)} is required, and additionalProperties: false of this part forbids it",
                "remove it, and write `unevaluatedProperties: false` beside `allOf`",
            )


def _is_forbidden(name: str, node: Mapping[str, Any]) -> bool:
    if node.get("additionalProperties") is not False or name in node.get("properties", ()):
        return False
    return not any(_matches(pattern, name) for pattern in node.get("patternProperties", ()))


def _matches(pattern: str, name: str) -> bool:
    # The validator's engine bounds its work; Python's does not
    return bool(compiled({"pattern": pattern}).is_valid(name))
