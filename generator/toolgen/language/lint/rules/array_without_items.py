"""array-without-items: an array that does not say what its items are.

Example:

    names: {type: array}

Use instead:

    names: {type: array, items: {type: string}}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedSchema
from toolgen.schema.document import JsonPath


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about an array of the input without `items`."""
    kind = node["type"]
    is_array = kind == "array" or (isinstance(kind, list) and "array" in kind)
    if not is_array or schema.bound.path != ("input_schema",):
        return
    # an `enum` in the wrong place is reported by itself
    if not {"items", "prefixItems", "contains", "$ref", "allOf", "enum", "const"} & node.keys():
        yield Diagnostic(
            schema.bound.value((*path, "type")),
            "array-without-items",
            "OpenAI refuses a request with an array without `items`",
            "add `items`; with `items: {}`, they may be anything",
        )
