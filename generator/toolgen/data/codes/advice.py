"""Codes of what is worth a word, and no reason to refuse."""

from __future__ import annotations

from toolgen.data.codes.code import Code, warning

ADVICE: dict[str, Code] = {
    "default-violates-schema": warning(
        "a default that breaks its own schema",
        "Defaults are published as they are. A client that sends this one back is refused.",
        "Write a default that fits, or leave it out.",
    ),
    "enum-outside-type": warning(
        "a value of an `enum` that `type` never allows",
        "In YAML, 007 is a number; no text equals it.",
        "Quote the value, or change the type.",
    ),
    "ignored-sibling": warning(
        "keywords beside a `$ref` in draft-07",
        "Draft-07 ignores them.",
        "Put the `$ref` into `allOf`, or use 2020-12.",
    ),
    "contradicting-annotations": warning(
        "a tool that is annotated as read-only and as destructive",
        "Clients believe one of the two, and some run read-only tools without asking anybody.",
        "Set `readOnlyHint` or `destructiveHint` to false.",
    ),
    "destructive-unconfirmed": warning(
        "a destructive tool that may act without the user's consent",
        "`destructiveHint` is a hint to clients. What asks the user, whatever the client does, is `confirm`.",
        "Add `confirm`, with `on_unsupported: deny` or `two_step`; or set `destructiveHint` to false.",
    ),
    "misspelt-annotation": warning(
        "an annotation that is spelt almost like one of MCP's",
        "It is published as it is, and clients ignore it: the tool is taken for the opposite.",
        "Write it as MCP does; a key of your own needs a name that is less alike.",
    ),
    "output-not-object": warning(
        "an output schema whose root is not `type: object`",
        "Older MCP clients drop the whole list of tools for one: to them it is the `result` of an object.",
        "Wrap the result as one property of an object.",
    ),
    "unenforced-format": warning(
        "a format that is not known",
        "Unknown formats are published and enforced by nobody.",
        "Use a format of JSON Schema, or a `pattern`.",
    ),
    "unenforced-keyword": warning(
        "a keyword that JSON Schema does not have",
        "It is published as it is, and enforced by nobody.",
        "Use a keyword of JSON Schema, or begin it with `x-` to say that this is meant.",
    ),
    "unsatisfiable-required": warning(
        "a required property that nothing allows",
        "`additionalProperties: false` forbids what `properties` does not declare: no object can fit.",
        "Declare the property, or take it out of `required`.",
    ),
}
