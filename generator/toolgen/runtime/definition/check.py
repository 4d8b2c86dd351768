"""Check tool definitions that are written in Python: those of `ToolSpec`, and hand-written ones."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.text import either, nearest, show_path

if TYPE_CHECKING:
    from toolgen.runtime.validation.compiled_schema import CompiledSchema


class ToolSpecError(ValueError):
    """A tool definition that is not valid. `faults` has one sentence for each fault."""

    def __init__(self, subject: str, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        lines = "".join(f"\n- {fault}" for fault in self.faults)
        super().__init__(f"{subject} is not valid:{lines}")


_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
_GROUP: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}")
_CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_DOTTED: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
TYPES: Final = ("string", "integer", "number", "boolean", "array", "object", "null")
_BLOCK_TYPES: Final = ("image", "audio", "file", "link", "text")
_AUDIENCES: Final = ("user", "assistant")
_MEDIA_TYPE: Final = re.compile(r"[a-z]+/(\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})")
_RESERVED: Final = frozenset({"self", "request", "context"})  # parameters that `execute` has anyway
_ON_UNSUPPORTED: Final = ("deny", "two_step", "allow")
_LOAD: Final = ("always", "deferred")


def definition_faults(definition: object) -> list[str]:
    """Return the faults of a definition that was written in Python, one sentence each."""
    if not isinstance(definition, Mapping):
        return [f"a definition is a mapping, not {type(definition).__name__}"]
    required = ("name", "description", "input_schema")
    faults = [f"{key} is missing" for key in required if key not in definition]
    for key, value in definition.items():
        check = _CHECKS.get(key)
        if check is not None:
            faults.extend(f"{key}{fault}" for fault in check(value))
        elif not (isinstance(key, str) and key.startswith("x-")):
            near = nearest(key, list(_CHECKS)) if isinstance(key, str) else None
            faults.append(f"unknown field {key!r}" + (f"; did you mean {near!r}?" if near else ""))
    if definition.get("name") in _sequence(definition.get("aliases")):
        faults.append(f"aliases: {definition['name']!r} is the name of the tool itself")
    if not faults:
        faults.extend(_example_faults(definition))
    return faults


def _sequence(value: object) -> Sequence[Any]:
    return value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else ()


def _matches(pattern: re.Pattern[str], expected: str, value: object) -> Iterator[str]:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        yield f": expected {expected}, got {value!r}"


def _text(value: object) -> Iterator[str]:
    if not isinstance(value, str):
        yield f": expected text, got {type(value).__name__}"
    elif not value.strip():
        yield " is empty"


def _flag(value: object) -> Iterator[str]:
    if not isinstance(value, bool):
        yield f": expected True or False, got {value!r}"


def _mapping(value: object) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f": expected a mapping, got {type(value).__name__}"


def _seconds(value: object) -> Iterator[str]:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 86_400:
        yield f": expected a number of seconds greater than 0 and at most 86400, got {value!r}"


def _positive_integer(value: object) -> Iterator[str]:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        yield f": expected a whole number, 1 or more, got {value!r}"


def _date(value: object) -> Iterator[str]:
    try:
        if not isinstance(value, str) or date.fromisoformat(value).isoformat() != value:
            raise ValueError
    except ValueError:
        yield f": expected a date such as 2027-01-31, got {value!r}"


def _whole_number(value: object) -> Iterator[str]:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        yield f": expected a whole number, 0 or more, got {value!r}"


def _priority(value: object) -> Iterator[str]:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        yield f": expected a number from 0 to 1, got {value!r}"


def _content(value: object) -> Iterator[str]:
    if value != "any":
        yield from _list_of(_CONTENT, value)


def _list_of(check: Callable[[object], Iterator[str]], value: object, unique: str = "") -> Iterator[str]:
    """Yield the faults of a list's items, and the items that occur twice, compared by the key `unique`."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        yield f": expected a list, got {type(value).__name__}"
        return
    seen: list[Any] = []
    for number, item in enumerate(value):
        found = [f"[{number}]{fault}" for fault in check(item)]
        yield from found
        key = item.get(unique) if unique and isinstance(item, Mapping) else item
        if not found and key in seen:
            yield f": {key!r} is given twice"
        seen.append(key)


def _fields(
    required: Mapping[str, Callable[[object], Iterator[str]]],
    optional: Mapping[str, Callable[[object], Iterator[str]]],
    value: object,
) -> Iterator[str]:
    """Yield the faults of a mapping with the given fields and no others."""
    if not isinstance(value, Mapping):
        yield from _mapping(value)
        return
    known = {**required, **optional}
    yield from (f".{key} is missing" for key in required if key not in value)
    for key, inner in value.items():
        if key not in known:
            near = nearest(str(key), list(known))
            yield f": unknown field {key!r}" + (f"; did you mean {near!r}?" if near else "")
        else:
            yield from (f".{key}{fault}" for fault in known[key](inner))


def _schema(value: object) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f": expected a JSON Schema as a mapping, got {type(value).__name__}"
        return
    try:
        _compiled(value)
    except (ValueError, TypeError, RecursionError) as error:
        path = list(getattr(error, "instance_path", ()))
        place = f" at {show_path(path)}" if path else ""
        if path and path[-1] == "type" and isinstance(found := _value_at(value, path), str):
            yield place + next((f": {fault}" for fault in type_faults(found)), ": unknown type")
        else:
            yield f"{place} is not a valid JSON Schema: {_first_line(error)}"


def _object_schema(value: object) -> Iterator[str]:
    found = list(_schema(value))
    if not found and isinstance(value, Mapping) and value.get("type") != "object":
        found.append(": arguments are an object, so the schema needs type: object")
    yield from found


def _compiled(schema: Mapping[str, Any]) -> CompiledSchema:
    from toolgen.runtime.validation.compiled_schema import compile_schema

    return compile_schema(schema)


def _value_at(value: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        value = value[step]
    return value


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__


def _injected_name(value: object) -> Iterator[str]:
    if not isinstance(value, str) or not value.isidentifier() or keyword.iskeyword(value):
        yield f": expected the name of a keyword argument, got {value!r}"
    elif value in _RESERVED:
        yield f": {value!r} is a parameter of execute already"


def _choice(options: tuple[str, ...], value: object) -> Iterator[str]:
    if value not in options:
        yield f": expected {either(options)}, got {value!r}"


_ERROR: Final = partial(
    _fields,
    {"code": partial(_matches, _CODE, "a word in snake_case"), "description": _text},
    {"retryable": _flag, "hint": partial(_matches, re.compile(r"(?s).*"), "text")},
)
_INJECT: Final = partial(
    _fields,
    {"name": _injected_name},
    {"type": partial(_matches, _DOTTED, "the dotted name of a type"), "optional": _flag},
)
_POINTER: Final = partial(_matches, re.compile(r"(/([^~/]|~[01])+)+"), "a JSON Pointer such as /items")
_CONTENT: Final = partial(
    _fields,
    {"type": partial(_choice, _BLOCK_TYPES)},
    {
        "media_types": partial(_list_of, partial(_matches, _MEDIA_TYPE, "a media type such as image/png")),
        "description": _text,
        "min": _whole_number,
        "max": _positive_integer,
        "max_bytes": _positive_integer,
        "audience": partial(_list_of, partial(_choice, _AUDIENCES)),
        "priority": _priority,
    },
)
_CHECKS: Final[Mapping[str, Callable[[object], Iterator[str]]]] = {
    "name": partial(_matches, _NAME, "1 to 64 letters, digits, _ or -, beginning with a letter or _"),
    "py_name": _text,
    "class_name": _text,
    "title": _text,
    "description": _text,
    "use_when": _text,
    "avoid_when": _text,
    "returns": _text,
    "version": _text,
    "tags": partial(_list_of, _text),
    "icons": partial(_list_of, _mapping),
    "annotations": _mapping,
    "input_schema": _object_schema,
    "output_schema": _schema,
    "errors": lambda value: _list_of(_ERROR, value, "code"),
    "confirm": partial(
        _fields,
        {"message": _text},
        {"preview": _flag, "on_unsupported": partial(_choice, _ON_UNSUPPORTED)},
    ),
    "inject": lambda value: _list_of(_INJECT, value, "name"),
    "stream": partial(_fields, {"chunk_schema": _schema}, {}),
    "content": _content,
    "max_result_bytes": _positive_integer,
    "page": partial(_fields, dict.fromkeys(("items", "cursor", "from"), _POINTER), {}),
    "auth": partial(
        _fields,
        {},
        {
            "scopes": partial(_list_of, _text),
            "secrets": partial(_list_of, partial(_matches, _VARIABLE, "the name of an environment variable")),
        },
    ),
    "timeout": _seconds,
    "concurrency": _positive_integer,
    "group": partial(_matches, _GROUP, "1 to 64 letters, digits, _ or -, beginning with a letter"),
    "load": partial(_choice, _LOAD),
    "examples": partial(_list_of, _mapping),
    "aliases": partial(_list_of, _text),
    "deprecated": partial(
        _fields, {}, {"since": _text, "replaced_by": _text, "message": _text, "sunset": _date}
    ),
    "final_answer": _flag,
    "coerce": _flag,
    "meta": _mapping,
    "targets": _mapping,
}


def _example_faults(definition: Mapping[str, Any]) -> Iterator[str]:
    """Yield the faults of examples that break the tool's own schemas."""
    for number, example in enumerate(definition.get("examples", ())):
        for key, field_name in (("input", "input_schema"), ("output", "output_schema")):
            schema = definition.get(field_name)
            if key in example and schema is not None and not _compiled(schema).accepts(example[key]):
                yield f"examples[{number}].{key} does not satisfy {field_name}"


def type_faults(json_type: Any) -> Iterator[str]:
    """Yield a fault if `json_type` is not a type of JSON Schema."""
    if json_type not in TYPES:
        near = nearest(json_type, TYPES) if isinstance(json_type, str) else None
        remedy = f"did you mean {near!r}?" if near else f"use {either(TYPES)}"
        yield f"unknown type {json_type!r}; {remedy}"
