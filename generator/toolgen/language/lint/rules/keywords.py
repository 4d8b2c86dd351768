"""Rules about keywords that are not enforced, or that clients and providers do not take."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from toolgen.base.suggestions import did_you_mean, quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedNode
from toolgen.language.references.bundle import Bound
from toolgen.runtime.definition.semantics.schema_hints import keyword_hint
from toolgen.schema.document import Draft
from toolgen.schema.graph import is_object_schema
from toolgen.schema.keywords import FORMATS, KEYWORDS


def array_without_items(part: LintedNode) -> Iterator[Diagnostic]:
    """array-without-items: an array that does not say what its items are.

    Example:

        names: {type: array}

    Use instead:

        names: {type: array, items: {type: string}}
    """
    kind = part.keywords.get("type")
    is_array = kind == "array" or (isinstance(kind, list) and "array" in kind)
    if not is_array or part.schema.bound.path != ("input_schema",):
        return
    # an `enum` in the wrong place is reported by itself
    if not {"items", "prefixItems", "contains", "$ref", "allOf", "enum", "const"} & part.keywords.keys():
        yield Diagnostic(
            part.value("type"),
            "array-without-items",
            "OpenAI refuses a request with an array without `items`",
            "add `items`; with `items: {}`, they may be anything",
        )


_SLASHES: Final = re.compile(r"/(\^.*|.*\$)/[a-z]*", re.DOTALL)
_RAW: Final = re.compile(r"""r(["'])(\^.*|.*\$)\1""", re.DOTALL)
_PYTHON: Final = re.compile(r"(?<!\\)\(\?P[<=>]")


def foreign_pattern(part: LintedNode) -> Iterator[Diagnostic]:
    """foreign-pattern: a pattern in the syntax of one programming language.

    Example:

        day: {type: string, pattern: "(?P<year>[0-9]{4})"}

    Use instead:

        day: {type: string, pattern: "(?<year>[0-9]{4})"}
    """
    pattern = part.keywords.get("pattern", "")
    if _SLASHES.fullmatch(pattern):
        message = "the slashes are part of the pattern, so no text matches it"
        hint = "remove the slashes: the text alone is the pattern"
    elif _RAW.fullmatch(pattern):
        message = "the `r` and the quotes of Python are part of the pattern, so no text matches it"
        hint = "remove the `r`, and write the pattern in single quotes"
    elif _PYTHON.search(pattern):
        message = "`(?P<name>…)` is Python's syntax, and JSON Schema has that of JavaScript"
        hint = "write `(?<name>…)`, or `(…)`"
    else:
        return
    yield Diagnostic(part.value("pattern"), "foreign-pattern", message, hint)


_TYPES: Final[Mapping[str, frozenset[str]]] = {
    keyword: frozenset(types.split())
    for types, keywords in {
        "integer number": "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
        "string": "minLength maxLength pattern",
        "array": "items prefixItems contains minItems maxItems uniqueItems",
        "object": "properties required minProperties maxProperties propertyNames patternProperties",
    }.items()
    for keyword in keywords.split()
}
_BOUNDS: Final = {
    "array": "{}Items` is for arrays",
    "integer": "{}imum` is for numbers",
    "number": "{}imum` is for numbers",
    "string": "{}Length` is for strings",
}
"""Type → the end of a hint at the bound that it has, after "min" or "max"."""


def keyword_outside_type(part: LintedNode) -> Iterator[Diagnostic]:
    """keyword-outside-type: a keyword that says nothing about values of its schema's type.

    Example:

        quantity: {type: integer, minLength: 1}

    Use instead:

        quantity: {type: integer, minimum: 1}
    """
    node = part.keywords
    written = node.get("type")
    types = {written} if isinstance(written, str) else {*(written or ())}
    for keyword in _TYPES.keys() & node.keys() if types else ():
        # an empty `properties` or `required` comes out of generators, and misleads nobody
        if types.isdisjoint(_TYPES[keyword]) and node[keyword] not in ({}, []):
            shown = " or ".join(sorted(types))
            meant = " or ".join(sorted(_TYPES[keyword]))
            hint = f"it is for type {meant}: correct the type, or remove it"
            if shown in _BOUNDS and (bound := re.match("min|max", keyword)):
                hint = _BOUNDS[shown].format(f"`{bound[0]}")
            message = f"{keyword} says nothing about values of type {shown}"
            yield Diagnostic(part.key(keyword), "keyword-outside-type", message, hint)


def output_not_object(bound: Bound) -> Iterator[Diagnostic]:
    """output-not-object: an output schema accepts values other than objects.

    Example:

        output_schema: {type: array, items: {type: string}}

    Use instead:

        output_schema:
          type: object
          required: [names]
          properties: {names: {type: array, items: {type: string}}}
    """
    if bound.path == ("output_schema",) and not is_object_schema(bound.document):
        yield Diagnostic(
            bound.value(("type",)) if "type" in bound.schema else bound.key(()),
            "output-not-object",
            "MCP clients up to 2025-11-25 accept objects only, and receive this as the `result` of one",
            "wrap the value: type object with one property, such as `result`",
        )


def unenforced_format(part: LintedNode) -> Iterator[Diagnostic]:
    """unenforced-format: a `format` that JSON Schema does not have, so that it is not enforced.

    Example:

        created: {type: string, format: datetime}

    Use instead:

        created: {type: string, format: date-time}
    """
    name = str(part.keywords["format"])
    if name not in FORMATS:
        yield Diagnostic(
            part.value("format"),
            "unenforced-format",
            f"the format {quoted(name)} is unknown, and is not enforced",
            did_you_mean(name, FORMATS, cutoff=0.75)
            or "it is published unchanged; a `pattern` would be enforced",
        )


CLOSING: Final = "additionalProperties"
DRAFT_7: Final = {
    "additionalItems": (
        ", and is not enforced in draft 2020-12",
        "write `items`, which is for the items behind `prefixItems`",
    ),
    "dependencies": (
        ": toolgen enforces it, and most validators of draft 2020-12 do not",
        "write `dependentRequired`, or `dependentSchemas` if the values are schemas",
    ),
}
"""Keywords of draft-07 that 2020-12 has replaced → what that means, and what to write."""


def unenforced_keyword(part: LintedNode) -> Iterator[Diagnostic]:
    """unenforced-keyword: a keyword that JSON Schema does not have, so that it is not enforced.

    Example:

        name: {type: string, nullable: true}

    Use instead:

        name: {type: [string, "null"]}
    """
    node = part.keywords
    for key, (message, hint) in DRAFT_7.items():
        if key in node and part.schema.draft is Draft.DRAFT_2020_12:
            yield Diagnostic(part.key(key), "unenforced-keyword", f"{key!r} is of draft-07{message}", hint)
    if isinstance(closed := node.get("properties", {}).get(CLOSING), bool):
        yield Diagnostic(
            part.key("properties", CLOSING),
            "unenforced-keyword",
            f"{CLOSING!r} is among the properties, so it is the name of one",
            f"move `{CLOSING}: {str(closed).lower()}` out of `properties`, to the level above, beside `type`",
        )
    for key in node:
        if key not in KEYWORDS and not key.startswith("x-"):
            yield Diagnostic(
                part.key(key),
                "unenforced-keyword",
                f"{quoted(key)} is not a keyword of JSON Schema, and is not enforced",
                keyword_hint(key, node, is_root=not part.path),
            )
