"""Describe what is wrong with a spec: the errors of its schema in words, with what to write instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.runtime.text import either
from toolgen.schema.document import JsonPath
from toolgen.suggestions import did_you_mean, quoted

from .spec_schema import PATTERNS

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError


@dataclass(frozen=True, slots=True)
class SpecFault:
    """One fault of a spec: in a file, or in a definition that is written in Python."""

    path: JsonPath
    code: str  # a key of `toolgen.data.codes.CODES`
    message: str
    hint: str = ""
    of_key: bool = False  # the fault is the key at `path`, rather than its value
    needs_quotes: bool = False  # the value is a number or a boolean where text is expected
    other: JsonPath | None = None  # another place that belongs to the fault
    about_other: str = ""


_FOREIGN_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "input_schema": ("args", "arguments", "input", "inputs", "parameters", "params"),
    "output_schema": ("output", "outputs", "response"),
}
"""Fields → keys of other systems for them, whose values may have another form."""

_FOREIGN_KEYS: Final[Mapping[str, str]] = {
    **{
        key: f"write {name!r}, with a JSON Schema of type object"
        for name, keys in _FOREIGN_NAMES.items()
        for key in keys
    },
    "$defs": "put it inside of `input_schema`, or into a file of its own for schemas that tools share",
    "$schema": "put it inside of `input_schema`; for an editor, write `# yaml-language-server: $schema=…`",
    "_meta": "write 'meta'",
    "confirmation": "write 'confirm', with a `message`",
    "destructive": "write `annotations: {destructiveHint: true}`",
    "destructiveHint": "write `annotations: {destructiveHint: …}`",
    "extensions": "carry data of your own under a key that begins with `x-`",
    "idempotent": "write `annotations: {idempotentHint: true}`",
    "idempotentHint": "write `annotations: {idempotentHint: …}`",
    "inputSchema": "write 'input_schema'",
    "openWorldHint": "write `annotations: {openWorldHint: …}`",
    "outputSchema": "write 'output_schema'",
    "properties": "put it inside of `input_schema`, beside `type: object`",
    "readOnly": "write `annotations: {readOnlyHint: true}`",
    "readOnlyHint": "write `annotations: {readOnlyHint: …}`",
    "required": "put it inside of `input_schema`, beside `properties`",
    "scopes": "write `auth: {scopes: […]}`",
    "secrets": "write `auth: {secrets: […]}`",
    "strict": "write `targets: {openai: {strict: …}}`",
    "summary": "write 'description'",
    "when_not_to_use": "write 'avoid_when'",
    "when_to_use": "write 'use_when'",
}
"""Top-level keys of other systems → what to write instead."""

_REPLACING: Final[Mapping[str, tuple[str, ...]]] = {
    "input_schema": (*_FOREIGN_NAMES["input_schema"], "inputSchema"),
    "description": ("summary",),
}
"""Required fields → keys of other systems for them, which replace the report that the field is missing."""

_TYPES: Final[Mapping[str, tuple[str, str]]] = {
    "array": ("a list", "write it as [a, b]"),
    "boolean": ("true or false", "write true or false, without quotes"),
    "integer": ("a number", "write it without quotes"),
    "number": ("a number", "write it without quotes"),
    "object": ("a mapping", ""),
    "string": ("text", ""),
}


def describe_error(error: ValidationError, path: JsonPath, part: Mapping[str, Any]) -> Iterator[SpecFault]:
    """Yield the faults that an error at `path` stands for; `part` is the schema that has the keyword."""
    keyword, kind = str(error.schema_path[-1]), cast("Any", error.kind)
    value: Any = error.instance
    if keyword == "required":
        foreign = () if path else _REPLACING.get(kind.property, ())
        if not any(key in value for key in foreign):
            message = f"the field {kind.property!r} is missing"
            of_key = bool(path) and isinstance(path[-1], str)
            yield SpecFault(path, "missing-field", message, of_key=of_key)
    elif keyword == "additionalProperties":
        yield from (unknown_field((*path, key), part["properties"]) for key in kind.unexpected)
    elif keyword == "exact":
        yield _type(path, value, "integer")
    elif keyword != "type" or part.keys().isdisjoint(("enum", "const")):  # which say more than the type
        yield EXPLANATIONS[keyword](path, value, part[keyword])


def unknown_field(path: JsonPath, known: Iterable[str]) -> SpecFault:
    """Return the fault of a key that the language does not have; `known` are the keys that it has there."""
    key, is_top_level = str(path[-1]), len(path) == 1
    if is_top_level and key in _FOREIGN_KEYS:
        hint = _FOREIGN_KEYS[key]
    else:
        hint = did_you_mean(key, known)
        if not hint:
            hint = "known here: " + ", ".join(known)
            if is_top_level:
                hint = "carry data of your own under a key that begins with `x-`"
    return SpecFault(path, "unknown-field", f"unknown field {quoted(key)}", hint, of_key=True)


Explain = Callable[[JsonPath, Any, Any], SpecFault]


def _type(path: JsonPath, value: Any, expected: str) -> SpecFault:
    if expected == "integer" and isinstance(value, float):
        return SpecFault(path, "wrong-type", f"{_field(path)} must be a whole number, not {value}")
    what, hint = _TYPES[expected]
    message = f"{_field(path)} must be {what}, not {_kind(value)}"
    is_unquoted = expected == "string" and isinstance(value, bool | int | float)
    return SpecFault(path, "wrong-type", message, hint, needs_quotes=is_unquoted)


def _pattern(path: JsonPath, value: Any, pattern: str) -> SpecFault:
    what, rule = PATTERNS[pattern]
    return SpecFault(path, "bad-value", f"{quoted(value)} is not {what}", rule)


def _date(path: JsonPath, value: Any, name: str) -> SpecFault:
    return SpecFault(path, "bad-value", f"{quoted(value)} is not a {name}", "write it as 2027-01-31")


def _choice(path: JsonPath, value: Any, choices: list[str]) -> SpecFault:
    message = f"{_field(path)} must be {either(list(map(repr, choices)))}, not {quoted(str(value))}"
    return SpecFault(path, "bad-value", message, did_you_mean(str(value), choices))


def _empty(path: JsonPath, value: Any, limit: int) -> SpecFault:
    return SpecFault(path, "bad-value", f"{_field(path)} is empty", "write it, or leave the field out")


def _range(words: str) -> Explain:
    def explain_range(path: JsonPath, value: Any, limit: float) -> SpecFault:
        if path == ("toolgen",):
            message = "this toolgen knows version 1 of the spec language"
            return SpecFault(path, "bad-value", message, "write `toolgen: 1`")
        return SpecFault(path, "bad-value", f"{_field(path)} must be {words} {limit}")

    return explain_range


EXPLANATIONS: Final[Mapping[str, Explain]] = {
    "const": lambda path, value, only: _choice(path, value, [only]),
    "enum": _choice,
    "exclusiveMinimum": _range("more than"),
    "format": _date,
    "maximum": _range("at most"),
    "minimum": _range("at least"),
    "minItems": _empty,
    "minLength": _empty,
    "pattern": _pattern,
    "type": _type,
}
"""Keywords of the spec's schema → the fault if a value does not satisfy them."""


def _field(path: JsonPath) -> str:
    name = next(step for step in reversed(path) if isinstance(step, str))
    return f"each of {name!r}" if isinstance(path[-1], int) else repr(name)


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
