"""Codes of schemas that are no JSON Schema."""

from __future__ import annotations

from toolgen.data.codes.code import Code, error

SCHEMAS: dict[str, Code] = {
    "invalid-pattern": error(
        "a pattern that is not a regular expression",
        "Patterns are enforced on every call, and one that does not compile enforces nothing.",
        "Write it as JSON Schema has them (ECMA-262), in single quotes.",
    ),
    "invalid-schema": error(
        "a schema that is not JSON Schema",
        "A schema is published as it is, and clients refuse tools whose schema is not valid.",
        "Write the keyword as its draft of JSON Schema has it.",
    ),
    "misspelt-keyword": error(
        "a keyword that is nearly one of JSON Schema's",
        "JSON Schema ignores keywords that it does not know: the rule would be enforced by nobody.",
        "Write the keyword that is meant, or begin it with `x-`.",
    ),
    "root-not-object": error(
        "a schema whose root is not `type: object`",
        "MCP demands it of inputs: arguments are an object.",
        "Write `type: object`.",
    ),
    "too-complex": error(
        "an input that is more work than toolgen does for one",
        "A few lines can describe more work than any machine can do; docs/limits.md lists what is read.",
        "Make it smaller, as the message says.",
    ),
    "unknown-draft": error(
        "a `$schema` that is not read",
        "The validator must know what the keywords mean; toolgen reads 2020-12 and draft-07.",
        "Leave `$schema` out for 2020-12, or name draft-07.",
    ),
    "unknown-type": error(
        "a type that JSON Schema does not have",
        "JSON has seven types. In YAML, the one called null is written in quotes.",
        'Write array, boolean, integer, "null", number, object or string.',
    ),
}
