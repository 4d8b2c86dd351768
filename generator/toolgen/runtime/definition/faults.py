"""Describe what is wrong with a spec: the errors of its schema in words, with what to write instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from toolgen.base.suggestions import did_you_mean, quoted
from toolgen.runtime.text import either
from toolgen.schema.document import JsonPath, json_type

from .spec_schema import TEXT
from .unknown_fields import HINTS, KINDS, MAX_KEYS, PATTERNS, explained, kind_hint, unknown_hint

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


def describe_error(error: ValidationError, path: JsonPath, part: Mapping[str, Any]) -> Iterator[SpecFault]:
    """Yield the faults that an error at `path` stands for; `part` is the schema that has the keyword."""
    keyword, kind = str(error.schema_path[-1]), cast("Any", error.kind)
    value: Any = error.instance
    # `confirm:` must not mean a tool without confirmation
    if error.instance is None and isinstance(path[-1], str):
        hint = _how_to_write(path, "give it a value, or leave the field out")
        yield SpecFault(path, "empty-field", f"the field {path[-1]!r} has no value", hint, of_key=True)
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
    # `enum` and `const` say more than the type
    elif keyword != "type" or part.keys().isdisjoint(("enum", "const")):
        yield _wrong_value(path, value, keyword, part)


def _missing(path: JsonPath, name: str) -> SpecFault:
    of_key = bool(path) and isinstance(path[-1], str)
    hint = _how_to_write((*path, name), f"write `{name}: …`")
    return SpecFault(path, "missing-field", f"the field {name!r} is missing", hint, of_key=of_key)


def unknown_field(path: JsonPath, known: Iterable[str], beside: Mapping[str, Any]) -> SpecFault:
    """Return the fault of a key of `beside` that the language does not have; it has `known` there."""
    key = str(path[-1])
    hint = unknown_hint(key, beside, tuple(known), is_top_level=len(path) == 1)
    return SpecFault(path, "unknown-field", f"unknown field {quoted(key)}", hint, of_key=True)


def _how_to_write(path: JsonPath, otherwise: str) -> str:
    return HINTS["required"].get(".".join(map(str, path)), otherwise)


_RANGES: Final = {"exclusiveMinimum": "more than", "maximum": "at most", "minimum": "at least"}


def _wrong_value(path: JsonPath, value: Any, keyword: str, part: Mapping[str, Any]) -> SpecFault:
    """Return the fault of a value that does not satisfy a keyword of `part`."""
    field, written = _field(path), _written(value)
    match keyword:
        case "type":
            return _wrong_type(path, value, part)
        case "exact":
            return SpecFault(path, "wrong-type", f"{field} must be a whole number, not {value}")
        case "enum" | "const":
            choices = part.get("enum", [part.get("const")])
            hint = did_you_mean(written, choices)
            if path == ("content",):
                hint = f"{kind_hint(path, value, 'array')}, or `content: any`"
            message = f"{field} must be {either(list(map(repr, choices)))}, not {quoted(written)}"
            return SpecFault(path, "bad-value", message, hint)
        case "pattern" if part["pattern"] != TEXT:
            what, rule = PATTERNS[part["pattern"]]
            return SpecFault(path, "bad-value", f"{quoted(value)} is not {what}", rule)
        case "format":
            return SpecFault(path, "bad-value", f"{quoted(value)} is not a date", "write it as 2027-01-31")
        case "pattern" | "minItems" | "minProperties":
            hint = _how_to_write(path, "write it, or leave the field out")
            return SpecFault(path, "bad-value", f"{field} is empty", hint)
    if path == ("toolgen",):
        message = "this toolgen knows version 1 of the spec language"
        return SpecFault(path, "bad-value", message, "write `toolgen: 1`")
    message = f"{field} must be {_RANGES[keyword]} {part[keyword]}"
    return SpecFault(path, "bad-value", message, "write another number, or leave the field out")


def _wrong_type(path: JsonPath, value: Any, part: Mapping[str, Any]) -> SpecFault:
    expected = part["type"]
    is_unquoted = expected == "string" and isinstance(value, bool | int | float)
    hint = kind_hint(path, value, expected)
    if is_unquoted and part.get("pattern", TEXT) != TEXT:  # quotes would not make it valid
        is_unquoted, hint = False, PATTERNS[part["pattern"]][1]
    message = f"{_field(path)} must be {KINDS[expected][0]}, not {_kind(value)}"
    return SpecFault(path, "wrong-type", message, hint, needs_quotes=is_unquoted)


def _field(path: JsonPath) -> str:
    name = next(step for step in reversed(path) if isinstance(step, str))
    return f"each of {name!r}" if isinstance(path[-1], int) else repr(name)


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return _written(value)
    return "null" if value is None else KINDS[json_type(value)][0]
