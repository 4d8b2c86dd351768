"""Describe what is wrong with a spec: the errors of its schema in words, with what to write instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.base.suggestions import did_you_mean, quoted
from toolgen.runtime.text import either
from toolgen.schema.document import JsonPath

from .field_hints import MAX_KEYS, explained, kind_hint, list_hint, name_hint, required_hint, unknown_hint
from .spec_schema import PATTERNS, POINTER, TEXT

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError


@dataclass(frozen=True, slots=True)
class SpecFault:
    """One fault of a spec: in a file, or in a definition that is written in Python."""

    path: JsonPath
    code: str  # a key of `toolgen.language.codes.CODES`
    message: str
    hint: str = ""
    of_key: bool = False  # the fault is the key at `path`, rather than its value
    needs_quotes: bool = False  # the value is a number or a boolean where text is expected
    others: tuple[JsonPath, ...] = ()  # other places that belong to the fault
    about_other: str = ""
    part: str = ""  # of the text at `path`; empty: all of it


_TYPES: Final[Mapping[str, str]] = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a number",
    "number": "a number",
    "object": "a mapping",
    "string": "text",
}


def describe_error(error: ValidationError, path: JsonPath, part: Mapping[str, Any]) -> Iterator[SpecFault]:
    """Yield the faults that an error at `path` stands for; `part` is the schema that has the keyword."""
    keyword, kind = str(error.schema_path[-1]), cast("Any", error.kind)
    value: Any = error.instance
    # `confirm:` must not mean a tool without confirmation
    if error.instance is None and isinstance(path[-1], str):
        yield _no_value(path)
    elif keyword == "required":
        known = part.get("properties", ())
        if kind.property not in explained(value, known, is_top_level=not path):
            yield _missing(path, kind.property)
    elif keyword == "additionalProperties":
        known = part["properties"]
        for number, key in enumerate(kind.unexpected):
            # Each comparison takes time, and thousands of unknown keys are not misspelt.
            compared = known if number < MAX_KEYS else ()
            yield unknown_field((*path, key), compared, value)
    elif keyword == "type" and part.get("pattern", TEXT) != TEXT and isinstance(value, bool | int | float):
        message = f"{_field(path)} must be text, not {_kind(value)}"
        yield SpecFault(path, "wrong-type", message, PATTERNS[part["pattern"]][1])
    elif keyword == "exact":
        yield _type(path, value, "integer")
    elif keyword == "pattern" and part["pattern"] == TEXT:
        hint = required_hint(path) if path == ("description",) else "write it, or leave the field out"
        yield SpecFault(path, "bad-value", f"{_field(path)} is empty", hint)
    elif keyword != "type" or part.keys().isdisjoint(("enum", "const")):  # which say more than the type
        yield EXPLANATIONS[keyword](path, value, part[keyword])


def _no_value(path: JsonPath) -> SpecFault:
    message = f"the field {path[-1]!r} has no value"
    is_required = path in (("name",), ("description",), ("input_schema",))
    hint = required_hint(path) if is_required else "give it a value, or leave the field out"
    return SpecFault(path, "empty-field", message, hint, of_key=True)


def _missing(path: JsonPath, name: str) -> SpecFault:
    of_key = bool(path) and isinstance(path[-1], str)
    hint = required_hint((*path, name))
    return SpecFault(path, "missing-field", f"the field {name!r} is missing", hint, of_key=of_key)


def unknown_field(path: JsonPath, known: Iterable[str], beside: Mapping[str, Any]) -> SpecFault:
    """Return the fault of a key of `beside` that the language does not have; it has `known` there."""
    key = str(path[-1])
    hint = unknown_hint(key, beside, tuple(known), is_top_level=len(path) == 1)
    return SpecFault(path, "unknown-field", f"unknown field {quoted(key)}", hint, of_key=True)


Explain = Callable[[JsonPath, Any, Any], SpecFault]


def _type(path: JsonPath, value: Any, expected: str) -> SpecFault:
    if expected == "integer" and isinstance(value, float):
        return SpecFault(path, "wrong-type", f"{_field(path)} must be a whole number, not {value}")
    message = f"{_field(path)} must be {_TYPES[expected]}, not {_kind(value)}"
    hint = kind_hint(path, value, expected)
    is_unquoted = expected == "string" and isinstance(value, bool | int | float)
    return SpecFault(path, "wrong-type", message, hint, needs_quotes=is_unquoted)


def _pattern(path: JsonPath, value: Any, pattern: str) -> SpecFault:
    what, rule = PATTERNS[pattern]
    made = name_hint(value, pattern)
    hint = f"write {made!r}; {rule}" if made else rule
    if made and pattern == POINTER:
        hint = f"write {made}"
    return SpecFault(path, "bad-value", f"{quoted(value)} is not {what}", hint)


def _date(path: JsonPath, value: Any, name: str) -> SpecFault:
    return SpecFault(path, "bad-value", f"{quoted(value)} is not a {name}", "write it as 2027-01-31")


def _choice(path: JsonPath, value: Any, choices: list[str]) -> SpecFault:
    written = str(value).lower() if isinstance(value, bool) else str(value)
    message = f"{_field(path)} must be {either(list(map(repr, choices)))}, not {quoted(written)}"
    if choices == ["any"]:
        return SpecFault(path, "bad-value", message, f"{list_hint('content', value)}, or `content: any`")
    return SpecFault(path, "bad-value", message, did_you_mean(str(value), choices))


def _empty(path: JsonPath, value: Any, limit: int) -> SpecFault:
    return SpecFault(path, "bad-value", f"{_field(path)} is empty", "write it, or leave the field out")


def _range(words: str) -> Explain:
    def explain_range(path: JsonPath, value: Any, limit: float) -> SpecFault:
        if path == ("toolgen",):
            message = "this toolgen knows version 1 of the spec language"
            return SpecFault(path, "bad-value", message, "write `toolgen: 1`")
        return SpecFault(
            path,
            "bad-value",
            f"{_field(path)} must be {words} {limit}",
            "write another number, or leave the field out",
        )

    return explain_range


EXPLANATIONS: Final[Mapping[str, Explain]] = {
    "const": lambda path, value, only: _choice(path, value, [only]),
    "enum": _choice,
    "exclusiveMinimum": _range("more than"),
    "format": _date,
    "maximum": _range("at most"),
    "minimum": _range("at least"),
    "minItems": _empty,
    "minProperties": _empty,
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
