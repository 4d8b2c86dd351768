"""The words of JSON Schema, 2020-12 and draft-07 together."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ONE = _words(
    "additionalItems additionalProperties contains contentSchema else if not propertyNames then "
    "unevaluatedItems unevaluatedProperties"
)
LISTS = _words("allOf anyOf oneOf prefixItems")
MAPS = _words("$defs definitions dependentSchemas patternProperties properties")
EITHER = _words("items dependencies")  # draft-07 has lists of schemas, and lists of names, here
NESTING = ONE | LISTS | MAPS | EITHER

IN_PLACE_ONE = _words("if then else not")
IN_PLACE_LISTS = _words("allOf anyOf oneOf")
IN_PLACE_MAPS = _words("dependentSchemas dependencies")
IN_PLACE = IN_PLACE_ONE | IN_PLACE_LISTS | IN_PLACE_MAPS

PLAIN = _words(
    "$anchor $comment $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef $ref $schema $vocabulary "
    "const contentEncoding contentMediaType default dependentRequired deprecated description enum examples "
    "exclusiveMaximum exclusiveMinimum format maxContains maxItems maxLength maxProperties maximum "
    "minContains minItems minLength minProperties minimum multipleOf pattern readOnly required title type "
    "uniqueItems writeOnly"
)
KEYWORDS = NESTING | PLAIN

FOREIGN = _words(
    "defaultSnippets discriminator enumDescriptions enumNames errorMessage example externalDocs id "
    "markdownDescription nullable optional propertyOrder propertyOrdering tsType xml"
)
"""Keywords of neighbouring worlds: no slips of the pen, although some look like one."""

TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
FORMATS = _words(
    "date date-time duration email hostname idn-email idn-hostname ipv4 ipv6 iri iri-reference json-pointer "
    "regex relative-json-pointer time uri uri-reference uri-template uuid"
)
"""Formats that the validator asserts."""

# fmt: off
SAYING: Final = frozenset(
    {
        "$ref", "$dynamicRef", "$recursiveRef", "type", "enum", "const", "allOf", "anyOf", "oneOf",
        "not", "if", "then", "else", "properties", "required", "additionalProperties",
        "unevaluatedProperties", "patternProperties", "propertyNames", "minProperties",
        "maxProperties", "dependentRequired", "dependentSchemas", "dependencies", "items",
        "additionalItems", "prefixItems", "unevaluatedItems", "contains", "minContains",
        "maxContains", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength", "pattern",
        "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"
    }
)
"""Keywords that say which values are accepted (draft-07 to 2020-12); all others are annotations."""

ASSERTED_FORMATS: Final = frozenset(
    {
        "date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname",
        "ipv4", "ipv6", "uuid", "uri", "uri-reference", "iri", "iri-reference", "uri-template",
        "json-pointer", "relative-json-pointer", "regex"
    }
)
"""Formats that JSON Schema defines and the runtime asserts; any other is an annotation."""
# fmt: on
