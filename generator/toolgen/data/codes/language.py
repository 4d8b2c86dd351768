"""Codes of specs that are not in the language."""

from __future__ import annotations

from toolgen.data.codes.code import Code, error

LANGUAGE: dict[str, Code] = {
    "ambiguous-name": error(
        "a tool's name that other YAML readers take for true or false",
        "Many readers and editors still have YAML 1.1's booleans, and would call this tool `true`.",
        'Quote the name: name: "yes".',
    ),
    "bad-value": error(
        "a value that the field does not take",
        "Names go to every provider, and each has rules; choices and bounds are the language's.",
        "Write a value as the message says.",
    ),
    "duplicate-name": error(
        "a name that stands twice in one tool",
        "Nobody could tell which of the two is meant.",
        "Rename or remove one of them.",
    ),
    "empty-field": error(
        "a field without a value",
        "A `confirm:` left empty must not pass for a tool that asks nobody.",
        "Give the field a value, or leave it out.",
    ),
    "missing-field": error(
        "a field that every tool needs",
        "A tool has at least a name, a description and an input schema.",
        "Write the field.",
    ),
    "not-a-tool": error(
        "a file that is neither a tool nor shared schemas",
        "Every file below the specs folder is one of the two.",
        "Write `name`, `description` and `input_schema`; or only `$defs`.",
    ),
    "taken-name": error(
        "an injected name that Python or `execute` has already",
        "Injected values are keyword arguments of `execute`, beside `request` and `context`.",
        "Choose another name.",
    ),
    "unknown-field": error(
        "a field that the language does not have",
        "A misspelt field would otherwise be ignored in silence, and the contract with it.",
        "Use one of the language's fields, or an `x-` key at the top of the file to carry data of your own.",
    ),
    "wrong-type": error(
        "a value of another kind than the field's",
        "Nothing is converted in silence: version 1.10 would become 1.1.",
        "Write the value as the message says; quote text that looks like a number.",
    ),
}
