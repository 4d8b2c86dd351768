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
from toolgen.schema.document import JsonPath
from toolgen.schema.validator import compiled
from toolgen.suggestions import did_you_mean, quoted


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about each required name that `additionalProperties: false` excludes."""
    if node.get("additionalProperties") is not False:
        return
    declared = node.get("properties", {})
    patterns = node.get("patternProperties", {})
    for index, name in enumerate(node["required"]):
        if name in declared or any(_matches(pattern, name) for pattern in patterns):
            continue
        yield Diagnostic(
            schema.bound.value((*path, "required", index)),
            "unsatisfiable-required",
            f"{quoted(name)} is required, and additionalProperties: false forbids it",
            did_you_mean(name, declared) or "declare it under `properties`",
        )


def _matches(pattern: str, name: str) -> bool:
    # The validator's engine bounds its work; Python's does not
    return bool(compiled({"pattern": pattern}).is_valid(name))
