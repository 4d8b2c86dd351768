"""Pydantic's words and ours: every error type that `Spec` can produce, as a sentence and a way out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic_core import ErrorDetails

from toolgen.data.spec import CODE, DOTTED, IDENTIFIER, NAME, VARIABLE
from toolgen.suggestions import did_you_mean, quoted
from toolgen.targets.builtin import MCP_NAME
from toolgen.targets.definition import TARGET_NAME

Words = tuple[str, str, str]  # code, message, hint

SLIPS: Mapping[str, str] = {
    "$defs": "put it inside of `input_schema`, or into a file of its own for schemas that tools share",
    "$schema": "put it inside of `input_schema`; for an editor, write `# yaml-language-server: $schema=…`",
    "_meta": "write 'meta'",
    "args": "write 'input_schema', with a JSON Schema of type object",
    "arguments": "write 'input_schema', with a JSON Schema of type object",
    "confirmation": "write 'confirm', with a `message`",
    "destructive": "write `annotations: {destructiveHint: true}`",
    "destructiveHint": "write `annotations: {destructiveHint: …}`",
    "extensions": "carry data of your own under a key that begins with `x-`",
    "idempotent": "write `annotations: {idempotentHint: true}`",
    "idempotentHint": "write `annotations: {idempotentHint: …}`",
    "input": "write 'input_schema', with a JSON Schema of type object",
    "inputSchema": "write 'input_schema'",
    "inputs": "write 'input_schema', with a JSON Schema of type object",
    "openWorldHint": "write `annotations: {openWorldHint: …}`",
    "output": "write 'output_schema', with a JSON Schema of type object",
    "outputSchema": "write 'output_schema'",
    "outputs": "write 'output_schema', with a JSON Schema of type object",
    "parameters": "write 'input_schema', with a JSON Schema of type object",
    "params": "write 'input_schema', with a JSON Schema of type object",
    "properties": "put it inside of `input_schema`, beside `type: object`",
    "readOnly": "write `annotations: {readOnlyHint: true}`",
    "readOnlyHint": "write `annotations: {readOnlyHint: …}`",
    "required": "put it inside of `input_schema`, beside `properties`",
    "response": "write 'output_schema', with a JSON Schema of type object",
    "scopes": "write `auth: {scopes: […]}`",
    "secrets": "write `auth: {secrets: […]}`",
    "strict": "write `targets: {openai: {strict: …}}`",
    "summary": "write 'description'",
    "when_not_to_use": "write 'avoid_when'",
    "when_to_use": "write 'use_when'",
}
"""Top-level keys that other systems have, and what they are called here."""

STANDS_FOR = {
    "input_schema": ("args", "arguments", "input", "inputSchema", "inputs", "parameters", "params"),
    "description": ("summary",),
}
"""Fields that are not also reported as missing where one of these slips was made."""

_PATTERNS: Mapping[str, tuple[str, str]] = {
    NAME: (
        "a tool's name",
        "letters, digits, `_` and `-`, at most 64 of them, not beginning with a digit or `-`",
    ),
    CODE: (
        "an error's code",
        "snake_case: small letters, digits and `_`, at most 64 of them, beginning with a letter",
    ),
    IDENTIFIER: ("a Python argument", "letters, digits and `_`, beginning with a small letter or `_`"),
    DOTTED: ("a Python type with its module", "names with dots between them: sqlite3.Connection"),
    VARIABLE: (
        "an environment variable",
        "letters, digits and `_`, not beginning with a digit: SHOP_API_KEY",
    ),
    MCP_NAME: ("a published name", "printable characters, at most 256 of them"),
    TARGET_NAME: ("a published name", "letters, digits, `_`, `-` and `.`, at most 128 of them"),
}


def unknown_field(key: str, known: Iterable[str], top: bool) -> Words:
    """The words for a key that the language does not have."""
    if top and key in SLIPS:
        hint = SLIPS[key]
    else:
        hint = did_you_mean(key, known)
        if not hint:
            hint = "known here: " + ", ".join(known)
            if top:
                hint = "carry data of your own under a key that begins with `x-`"
    return "unknown-field", f"unknown field {quoted(key)}", hint


def explain(error: ErrorDetails, written: str) -> Words:
    """`error` in our words; `written` is the offending text as the file has it."""
    return EXPLANATIONS[error["type"]](error, written)


def _wrong(wanted: str, hint: str = "") -> Callable[[ErrorDetails, str], Words]:
    def words(error: ErrorDetails, written: str) -> Words:
        return "wrong-type", f"{_field(error)} is {wanted}, and this is {_kind(error['input'])}", hint

    return words


def _text(error: ErrorDetails, written: str) -> Words:
    value = error["input"]
    hint = ""
    if isinstance(value, bool | int | float) and written:
        hint = f'quote it: "{written}"'
    return "wrong-type", f"{_field(error)} is text, and this is {_kind(value)}", hint


def _missing(error: ErrorDetails, written: str) -> Words:
    return "missing-field", f"the field {str(error['loc'][-1])!r} is missing", ""


def _short(error: ErrorDetails, written: str) -> Words:
    return "bad-value", f"{_field(error)} is empty", "write it, or leave the field out"


def _pattern(error: ErrorDetails, written: str) -> Words:
    what, rule = _PATTERNS[error["ctx"]["pattern"]]
    return "bad-value", f"{quoted(error['input'])} is not {what}", rule


def _choice(error: ErrorDetails, written: str) -> Words:
    expected = error["ctx"]["expected"]
    return "bad-value", f"{_field(error)} is {expected}, not {quoted(str(error['input']))}", ""


def _range(error: ErrorDetails, written: str) -> Words:
    if error["loc"] == ("toolgen",):
        return "bad-value", "this toolgen knows version 1 of the spec language", "write `toolgen: 1`"
    ctx: dict[str, Any] = error["ctx"]
    bounds = {"gt": "more than", "ge": "at least", "le": "at most"}
    bound = next(f"{words} {ctx[key]}" for key, words in bounds.items() if key in ctx)
    return "bad-value", f"{_field(error)} must be {bound}", ""


def _extra(error: ErrorDetails, written: str) -> Words:
    return "unknown-field", f"unknown field {quoted(str(error['loc'][-1]))}", ""


EXPLANATIONS: Mapping[str, Callable[[ErrorDetails, str], Words]] = {
    "bool_type": _wrong("true or false", "write true or false, without quotes"),
    "dict_type": _wrong("a mapping"),
    "extra_forbidden": _extra,  # `parse` knows the neighbours, and replaces the hint
    "float_type": _wrong("a number", "write it without quotes"),
    "greater_than": _range,
    "greater_than_equal": _range,
    "int_type": _wrong("a number", "write it without quotes"),
    "less_than_equal": _range,
    "list_type": _wrong("a list", "write it as [a, b]"),
    "literal_error": _choice,
    "missing": _missing,
    "model_type": _wrong("a mapping"),
    "string_pattern_mismatch": _pattern,
    "string_too_short": _short,
    "string_type": _text,
}


def _field(error: ErrorDetails) -> str:
    names = [part for part in error["loc"] if isinstance(part, str) and part not in ("int", "float")]
    inside = isinstance(error["loc"][-1], int)
    return f"each of {names[-1]!r}" if inside else repr(names[-1])


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "a mapping"
