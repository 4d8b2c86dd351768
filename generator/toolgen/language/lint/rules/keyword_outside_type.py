"""keyword-outside-type: a keyword that says nothing about values of its schema's type.

Example:

    quantity: {type: integer, minLength: 1}

Use instead:

    quantity: {type: integer, minimum: 1}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedSchema
from toolgen.schema.document import JsonPath

_NUMBERS: Final = frozenset(("number", "integer"))
_TYPES: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), _NUMBERS),
    **dict.fromkeys(("minLength", "maxLength", "pattern"), frozenset(("string",))),
    **dict.fromkeys(
        ("items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"), frozenset(("array",))
    ),
    **dict.fromkeys(
        ("properties", "required", "minProperties", "maxProperties", "propertyNames", "patternProperties"),
        frozenset(("object",)),
    ),
}
KEYWORDS: Final = _TYPES.keys()
_INSTEAD: Final = {
    ("minLength", "integer"): "`minimum` is for numbers",
    ("minLength", "number"): "`minimum` is for numbers",
    ("maxLength", "integer"): "`maximum` is for numbers",
    ("maxLength", "number"): "`maximum` is for numbers",
    ("minimum", "string"): "`minLength` is for strings",
    ("maximum", "string"): "`maxLength` is for strings",
    ("minItems", "string"): "`minLength` is for strings",
    ("maxItems", "string"): "`maxLength` is for strings",
    ("minLength", "array"): "`minItems` is for arrays",
    ("maxLength", "array"): "`maxItems` is for arrays",
}


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about each keyword that does not apply to any type of `type`."""
    written = node.get("type")
    types = {written} if isinstance(written, str) else {*(written or ())}
    if not types:
        return
    for keyword in KEYWORDS & node.keys():
        # an empty `properties` or `required` comes out of generators, and misleads nobody
        if types.isdisjoint(_TYPES[keyword]) and node[keyword] not in ({}, []):
            shown = " or ".join(sorted(types))
            meant = " or ".join(sorted(_TYPES[keyword]))
            hint = _INSTEAD.get((keyword, shown), f"it is for type {meant}: correct the type, or remove it")
            yield Diagnostic(
                schema.bound.key((*path, keyword)),
                "keyword-outside-type",
                f"{keyword} says nothing about values of type {shown}",
                hint,
            )
