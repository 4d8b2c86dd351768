"""What to write where a field of a spec has the wrong name, the wrong place, or a value of the wrong kind."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Any, Final

from toolgen.base.escaping.characters import printable
from toolgen.base.suggestions import nearest, suggest
from toolgen.schema.document import JsonPath
from toolgen.schema.keywords import KEYWORDS

from .spec_schema import DEFINITIONS, FIELDS, TARGETS, pattern_of

_TABLES: Final[dict[str, Any]] = tomllib.loads(
    files("toolgen.runtime.definition").joinpath("hints.toml").read_text("utf-8")
)
HINTS: Final[Mapping[str, Mapping[str, str]]] = _TABLES
"""Words of other systems → what to write instead, by the places where they are found."""

KINDS: Final[Mapping[str, tuple[str, str]]] = _TABLES["kinds"]
"""Types of JSON Schema → how they are called, and what to write."""

PATTERNS: Final = {pattern_of(*field.split(".")): words for field, words in _TABLES["patterns"].items()}
"""Patterns → what they are the pattern of, and what to write."""

_FIELD_OF: Final = HINTS["fields"]
_WRITE: Final[Mapping[str, str]] = {
    **{
        key: f"write {field!r}, with a JSON Schema of type object"
        for key, field in _FIELD_OF.items()
        if field.endswith("_schema")
    },
    **HINTS["top_level"],
}
"""Top-level keys of other systems → what to write instead."""

_SAMPLES: Final = HINTS["samples"]
_IN_A_LIST: Final = frozenset(("content", "errors", "examples", "icons", "inject"))
_OF_SCHEMAS: Final = frozenset(("type", "$ref", "enum", "const", "anyOf", "oneOf", "allOf", "properties"))
SIMILAR: Final = 0.8  # `readOnly` means `readOnlyHint`; `audience` is a key of the author's own
MAX_KEYS: Final = 50  # unknown keys of one mapping that are compared with known ones


def kind_hint(path: JsonPath, value: Any, expected: str) -> str:
    """Return a smallest valid value for `path`, where `value` has another type than `expected`."""
    if expected == "string" and isinstance(value, bool | int | float):
        return ""  # quotes, see `SpecFault.needs_quotes`
    if expected != "array" and isinstance(value, str) and value.isdecimal():
        return "write it without quotes"
    name = str(next(step for step in reversed(path) if isinstance(step, str)))
    if expected == "array" and isinstance(value, str) and name not in _IN_A_LIST:
        return f"write a list: `{name}: [{printable(value[:60])}]`"
    if name not in _SAMPLES or expected == "string":
        return KINDS[expected][1].format(name=name)
    sample = f"[{_SAMPLES[name]}]" if name in _IN_A_LIST and path[-1] == name else _SAMPLES[name]
    return f"write `{name}: {sample}`" if path[-1] == name else f"write `{sample}`"


# Names and places


def _inner_fields(field: Mapping[str, Any]) -> Iterable[str]:
    reference = next((each["$ref"] for each in field.get("allOf", ()) if "$ref" in each), "")
    inner: Iterable[str] = DEFINITIONS.get(reference.rpartition("/")[2], {}).get("properties", ())
    return inner


_OWNERS: Final[Mapping[str, str]] = {
    inner: name
    for name, field in reversed(DEFINITIONS["Tool"]["properties"].items())
    for inner in _inner_fields(field)
    if inner not in FIELDS and inner not in KEYWORDS
}
"""Keys that belong into a field → that field."""


def meant_field(key: str, known: Iterable[str], *, is_top_level: bool) -> str | None:
    """Return the field that an unknown key means: a word of another system, or a misspelt name."""
    if not is_top_level:
        return HINTS["inner"].get(key) or nearest(key.replace("-", "_"), known, cutoff=0.65)
    if key in _FIELD_OF:
        return _FIELD_OF[key]
    if key in _WRITE or key in _OWNERS or key in TARGETS or key in KEYWORDS:
        return None
    return nearest(key.replace("-", "_"), known, cutoff=SIMILAR)


def looks_like_schema(value: Any) -> bool:
    """True if the value is a schema, as that of a property is."""
    return isinstance(value, dict) and not _OF_SCHEMAS.isdisjoint(value)


def explained(value: Mapping[str, Any], known: Iterable[str], *, is_top_level: bool) -> Iterator[str]:
    """Yield the fields that unknown keys of a mapping stand for, so that these are not missing."""
    known = list(known)
    unknown = [key for key in value if key not in known and not key.startswith("x-")]
    for key in unknown[:MAX_KEYS]:
        if is_top_level and key in ("tool", "tools", "function"):
            yield from known
        elif is_top_level and key == "properties":
            yield "input_schema"
        elif found := meant_field(key, known, is_top_level=is_top_level):
            yield found


def unknown_hint(key: str, beside: Mapping[str, Any], known: Iterable[str], *, is_top_level: bool) -> str:
    """Return what to write instead of a key of `beside` that the language does not have there."""
    value = beside.get(key)
    meant = meant_field(key, known, is_top_level=is_top_level)
    if meant in beside:
        return f"remove it: {meant!r} is there as well"
    if is_top_level and key in _WRITE:
        return _WRITE[key]
    if is_top_level and key in TARGETS:
        return f"write `targets: {{{key}: {{…}}}}`"
    if is_top_level and key in _OWNERS:
        return f"write `{_OWNERS[key]}: {{{key}: …}}`"
    if is_top_level and key in KEYWORDS:
        return "put it inside of `input_schema`"
    if "\u00a0" in key:
        return "indent with ordinary spaces: there is a no-break space"
    if meant:
        return suggest(key, meant)
    if is_top_level and looks_like_schema(value):
        return "a property belongs below `properties` of `input_schema`"
    if is_top_level:
        return _WRITE["extensions"]
    here = ", ".join(each for each in known if each not in beside)
    outer = f"{key!r} is a field of the tool, at the top level" if key in FIELDS else ""
    return "; ".join(filter(None, (here and f"known here: {here}", outer)))
