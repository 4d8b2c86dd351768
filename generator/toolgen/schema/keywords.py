"""The keywords, types and formats of JSON Schema: draft 2020-12 and draft-07 together."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Which keywords hold schemas, and how they hold them

SINGLE_SCHEMA: Final = _words(
    "additionalItems additionalProperties contains contentSchema else if not propertyNames then "
    "unevaluatedItems unevaluatedProperties"
)
SCHEMA_LISTS: Final = _words("allOf anyOf oneOf prefixItems")
SCHEMA_MAPS: Final = _words("$defs definitions dependentSchemas patternProperties properties")
MIXED: Final = _words("items dependencies")
"""Keywords of two forms: `items` holds one schema or a list, `dependencies` schemas or lists of names."""

SCHEMA_HOLDING: Final = SINGLE_SCHEMA | SCHEMA_LISTS | SCHEMA_MAPS | MIXED

# In-place applicators (JSON Schema 2020-12 core, section 10.2): their schemas apply to the same value

IN_PLACE_SINGLE: Final = _words("if then else not")
IN_PLACE_LISTS: Final = _words("allOf anyOf oneOf")
IN_PLACE_MAPS: Final = _words("dependentSchemas dependencies")
IN_PLACE: Final = IN_PLACE_SINGLE | IN_PLACE_LISTS | IN_PLACE_MAPS

REFERENCES: Final = ("$ref", "$dynamicRef")
ALL_REFERENCES: Final = (*REFERENCES, "$recursiveRef")
"""With that of draft 2019-09, which specs cannot be written in, but hand-written definitions can."""

# All other keywords

ASSERTIONS: Final = _words(
    "const dependentRequired enum exclusiveMaximum exclusiveMinimum format maxContains maxItems maxLength "
    "maxProperties maximum minContains minItems minLength minProperties minimum multipleOf pattern required "
    "type uniqueItems"
)
CONSTRAINING: Final = (
    ASSERTIONS | (SCHEMA_HOLDING - {"$defs", "definitions", "contentSchema"}) | {*ALL_REFERENCES}
)
"""Keywords that decide which values are accepted; all others are annotations."""

KEYWORDS: Final = (
    CONSTRAINING
    | SCHEMA_HOLDING
    | _words(
        "$anchor $comment $dynamicAnchor $id $recursiveAnchor $schema $vocabulary contentEncoding "
        "contentMediaType default deprecated description examples readOnly title writeOnly"
    )
)

DRAFT_7_ONLY: Final = frozenset({"additionalItems"})
DRAFT_2020_12_ONLY: Final = _words(
    "$anchor $defs $dynamicAnchor $dynamicRef $recursiveAnchor $recursiveRef $vocabulary contentSchema "
    "dependentRequired dependentSchemas deprecated maxContains minContains prefixItems unevaluatedItems "
    "unevaluatedProperties"
)
"""Keywords that one draft defines; validators read `$defs` and `dependencies` in both."""

FOREIGN: Final = _words(
    "defaultSnippets discriminator enumDescriptions enumNames errorMessage example externalDocs id "
    "markdownDescription nullable optional propertyOrder propertyOrdering tsType xml"
)
"""Keywords of OpenAPI, editors and form builders: not misspelt, although some resemble a keyword."""

TYPES: Final = ("array", "boolean", "integer", "null", "number", "object", "string")
FORMATS: Final = _words(
    "date date-time duration email hostname idn-email idn-hostname ipv4 ipv6 iri iri-reference json-pointer "
    "regex relative-json-pointer time uri uri-reference uri-template uuid"
)
"""Formats that JSON Schema defines and the runtime asserts; any other is an annotation."""
