"""Codes of text that is no YAML, or none that JSON can say."""

from __future__ import annotations

from toolgen.data.codes.code import Code, error

TEXT: dict[str, Code] = {
    "alias-bomb": error(
        "aliases that stand for too many values",
        "A few lines of aliases can stand for billions of values, and everything that walks them would hang.",
        "Write the values out, or share a schema by `$ref`.",
    ),
    "alias-cycle": error(
        "an alias inside the value that it names",
        "The value would have no end. JSON cannot say it, and nothing could be published.",
        "Use a `$ref` for a schema that contains itself.",
    ),
    "control-character": error(
        "a character that cannot stand in a text file",
        "Editors, terminals and diffs hide control characters, and YAML forbids them.",
        'Remove it, or write it as an escape in double quotes: "\\u0007".',
    ),
    "duplicate-key": error(
        "a key that is written twice in one mapping",
        "Most readers keep the last one and drop the other in silence.",
        "Remove one of the two.",
    ),
    "empty-file": error(
        "a file without a document",
        "Every file below the specs folder is a tool or a file of shared schemas.",
        "Write a tool, or remove the file.",
    ),
    "key-not-text": error(
        "a key that is not text",
        "Keys of JSON are text; `200:` is read as a number, `null:` as null.",
        'Quote the key: "200".',
    ),
    "lone-surrogate": error(
        "half of a surrogate pair",
        "It is not a character, and no file in UTF-8 can hold it.",
        'Write the character itself, or all its digits: "\\U0001F600".',
    ),
    "merge-key": error(
        "the merge key `<<`",
        "It belongs to YAML 1.1. In YAML 1.2 it would be a property called `<<`, which nobody means.",
        "Write the keys out, or share the schema by `$ref`.",
    ),
    "no-specs": error(
        "a specs folder without a tool",
        "Generating from nothing would delete everything that was generated before.",
        "Write a tool with `toolgen new`, or correct `specs` in the configuration.",
    ),
    "not-a-json-number": error(
        "a number that JSON cannot say",
        "Infinity, not-a-number and numbers beyond every bound cannot be published, nor compared.",
        "Leave the bound out, write a number that JSON has, or quote it where text is meant.",
    ),
    "not-utf-8": error(
        "a file that is not UTF-8",
        "Guessing an encoding turns names into other names.",
        "Save the file as UTF-8.",
    ),
    "several-documents": error(
        "more than one document in a file",
        "One tool per file keeps reviews simple; taking the first in silence would lose the other.",
        "Move the second document to a file of its own.",
    ),
    "too-deep": error(
        "mappings and lists too deep inside one another",
        "Programs that walk such data stop with an error of their own, far from its cause.",
        "Move the inner parts to `$defs`, and refer to them.",
    ),
    "unknown-alias": error(
        "an alias without its anchor",
        "Text that begins with `*` is an alias in YAML, and nothing above it has that name.",
        "Write the anchor `&name` before the value, or quote the text.",
    ),
    "unknown-tag": error(
        "a YAML tag that has no meaning here",
        "Specs hold JSON data; tags for other things, or for running code, are never obeyed.",
        "Remove the tag; quote text that is to stay text.",
    ),
    "yaml-syntax": error(
        "text that is not YAML",
        "The file cannot be read beyond this place.",
        "Follow the hint; most often, text with a colon, a quote or a bracket wants quotes.",
    ),
    "yaml-version": error(
        "a `%YAML` line that says another version",
        "Specs are read as YAML 1.2, in which `no` and `on` are text.",
        "Remove the `%YAML` line.",
    ),
}
