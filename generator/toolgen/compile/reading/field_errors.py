"""Messages for the errors of pydantic that a spec can cause: what is wrong, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import ErrorDetails

from toolgen.data.spec import CODE, DATE, DOTTED, GROUP, IDENTIFIER, MEDIA_TYPE, NAME, POINTER, VARIABLE
from toolgen.suggestions import did_you_mean, quoted
from toolgen.targets.definition import TARGET_NAME
from toolgen.targets.options import ANTHROPIC_CALLER, MCP_NAME


@dataclass(frozen=True, slots=True)
class FieldError:
    """A fault of a field, without its place."""

    code: str
    message: str
    hint: str = ""


_FOREIGN_KEYS: Mapping[str, str] = {
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
"""Top-level keys of other systems → what to write instead."""

FOREIGN_NAMES = {
    "input_schema": ("args", "arguments", "input", "inputSchema", "inputs", "parameters", "params"),
    "description": ("summary",),
}
"""Required fields → keys of other systems for them, which replace the report that the field is missing."""

_PATTERNS: Mapping[str, tuple[str, str]] = {
    MEDIA_TYPE: ("a media type", "type/subtype in small letters: image/png, or image/* for every image"),
    DATE: ("a date", "write it as 2027-01-31"),
    POINTER: ("a JSON Pointer to a property", "write /orders, or /result/orders"),
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
    GROUP: ("a group", "letters, digits, `_` and `-`, at most 64 of them, beginning with a letter"),
    ANTHROPIC_CALLER: ("a caller", "direct or code_execution_<date>: code_execution_20260521"),
    MCP_NAME: ("a published name", "printable characters, at most 256 of them"),
    TARGET_NAME: ("a published name", "letters, digits, `_`, `-` and `.`, at most 128 of them"),
}


def unknown_field(key: str, known: Iterable[str], *, top_level: bool = False) -> FieldError:
    """Return the fault of a key that the language does not have; `known` are the keys that it has there."""
    if top_level and key in _FOREIGN_KEYS:
        hint = _FOREIGN_KEYS[key]
    else:
        hint = did_you_mean(key, known)
        if not hint:
            hint = "known here: " + ", ".join(known)
            if top_level:
                hint = "carry data of your own under a key that begins with `x-`"
    return FieldError("unknown-field", f"unknown field {quoted(key)}", hint)


Explain = Callable[[ErrorDetails, str], FieldError]


def explain(error: ErrorDetails, written: str) -> FieldError:
    """Return the fault that `error` reports; `written` is the offending text in the file."""
    return EXPLANATIONS[error["type"]](error, written)


def _wrong_type(expected: str, hint: str = "") -> Explain:
    def explain_type(error: ErrorDetails, written: str) -> FieldError:
        message = f"{_field(error)} must be {expected}, not {_kind(error['input'])}"
        return FieldError("wrong-type", message, hint)

    return explain_type


def _text(error: ErrorDetails, written: str) -> FieldError:
    value = error["input"]
    hint = ""
    if isinstance(value, bool | int | float) and written:
        hint = f'quote it: "{written}"'
    return FieldError("wrong-type", f"{_field(error)} must be text, not {_kind(value)}", hint)


def _missing(error: ErrorDetails, written: str) -> FieldError:
    return FieldError("missing-field", f"the field {str(error['loc'][-1])!r} is missing")


def _short(error: ErrorDetails, written: str) -> FieldError:
    return FieldError("bad-value", f"{_field(error)} is empty", "write it, or leave the field out")


def _pattern(error: ErrorDetails, written: str) -> FieldError:
    what, rule = _PATTERNS[error["ctx"]["pattern"]]
    return FieldError("bad-value", f"{quoted(error['input'])} is not {what}", rule)


def _choice(error: ErrorDetails, written: str) -> FieldError:
    expected = error["ctx"]["expected"]
    return FieldError("bad-value", f"{_field(error)} must be {expected}, not {quoted(str(error['input']))}")


def _range(error: ErrorDetails, written: str) -> FieldError:
    if error["loc"] == ("toolgen",):
        return FieldError(
            "bad-value", "this toolgen knows version 1 of the spec language", "write `toolgen: 1`"
        )
    ctx: dict[str, Any] = error["ctx"]
    bounds = {"gt": "more than", "ge": "at least", "le": "at most"}
    bound = next(f"{words} {ctx[key]}" for key, words in bounds.items() if key in ctx)
    return FieldError("bad-value", f"{_field(error)} must be {bound}")


def _extra(error: ErrorDetails, written: str) -> FieldError:
    return FieldError("unknown-field", f"unknown field {quoted(str(error['loc'][-1]))}")


EXPLANATIONS: Mapping[str, Explain] = {
    "bool_type": _wrong_type("true or false", "write true or false, without quotes"),
    "dict_type": _wrong_type("a mapping"),
    "extra_forbidden": _extra,  # `parse` knows the fields there are, and replaces the hint
    "float_type": _wrong_type("a number", "write it without quotes"),
    "greater_than": _range,
    "greater_than_equal": _range,
    "int_type": _wrong_type("a number", "write it without quotes"),
    "less_than_equal": _range,
    "list_type": _wrong_type("a list", "write it as [a, b]"),
    "literal_error": _choice,
    "missing": _missing,
    "model_type": _wrong_type("a mapping"),
    "string_pattern_mismatch": _pattern,
    "string_too_short": _short,
    "string_type": _text,
    "too_short": _short,
}


_TAGS = ("int", "float", "list", "str")  # of the members of unions


def _field(error: ErrorDetails) -> str:
    names = [part for part in error["loc"] if isinstance(part, str) and part not in _TAGS]
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
