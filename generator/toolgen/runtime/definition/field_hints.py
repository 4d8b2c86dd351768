"""What to write where a field of a spec has the wrong name, the wrong place, or a value of the wrong kind."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Any, Final

from toolgen.base.suggestions import Suggestion, nearest, suggest
from toolgen.schema.document import JsonPath
from toolgen.schema.keywords import KEYWORDS

from .spec_schema import CODE, DEFINITIONS, FIELDS, GROUP, NAME, POINTER, TARGETS

HINTS: Final[Mapping[str, Mapping[str, str]]] = tomllib.loads(
    files("toolgen.runtime.definition").joinpath("hints.toml").read_text("utf-8")
)
"""Words of other systems → what to write instead, by the places where they are found."""

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

_LISTED: Final = frozenset(("content", "errors", "examples", "icons", "inject"))
_SECONDS: Final = {"s": 1, "sec": 1, "second": 1, "seconds": 1, "m": 60, "min": 60, "minutes": 60}
_BYTES: Final = {"b": 1, "kb": 1000, "kib": 1024, "mb": 1000**2, "mib": 1024**2}
_AMOUNT = re.compile(r"(-?[0-9]{1,9}(?:\.[0-9]{1,9})?) ?([a-zA-Z]*)")
_YES: Final = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
_OF_SCHEMAS: Final = frozenset(("type", "$ref", "enum", "const", "anyOf", "oneOf", "allOf", "properties"))
MAX_KEYS: Final = 50  # unknown keys of one mapping that are compared with known ones


def kind_hint(path: JsonPath, value: Any, expected: str) -> str:
    """Return a smallest valid value for `path`, where `value` has another type than `expected`."""
    is_item = isinstance(path[-1], int)
    name = str(next(step for step in reversed(path) if isinstance(step, str)))
    match expected:
        case "boolean":
            return _boolean_hint(name, value)
        case "integer" | "number":
            return number_hint(name, value)
        case "array":
            return list_hint(name, value)
        case "string":
            return _text_hint(value)
    shown = _mapping(name, value)
    return f"write `{shown}`" if is_item else f"write `{name}: {shown}`"


def list_hint(name: str, value: Any) -> str:
    """Return a smallest valid list for a field."""
    more = ""
    if isinstance(value, str) and value.startswith("-"):
        more = ", or put a space after each `-`"
    return f"write `{name}: {_list(name, value)}`{more}"


def _boolean_hint(name: str, value: Any) -> str:
    word = value.lower() if isinstance(value, str) else ""
    if word in ("true", "false"):
        return f"write it without quotes: `{name}: {word}`"
    return f"write `{name}: {_YES[word]}`" if word in _YES else "write true or false, without quotes"


def number_hint(name: str, value: Any) -> str:
    """Return the number that a text means, without its unit."""
    found = _AMOUNT.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return f"write a number: `{name}: 30`" if name == "timeout" else "write a number, or remove the field"
    amount, unit = found[1], found[2].lower()
    if not unit:
        return f"write it without quotes: `{name}: {amount}`"
    what, factors = ("seconds", _SECONDS) if name == "timeout" else ("bytes", _BYTES)
    if unit not in factors:
        return f"write a number without a unit: `{name}: {amount}`"
    return f"write the number of {what}: `{name}: {float(amount) * factors[unit]:.10g}`"


def _text_hint(value: Any) -> str:
    if isinstance(value, list):
        return "write one text, several lines of it below `|`; quote text that begins with `[`"
    if looks_like_schema(value):
        return "write text; schemas are in `input_schema` and `output_schema`"
    if isinstance(value, dict):
        return "quote text that has a colon and a space in it, or that begins with `{`"
    return ""


def _list(name: str, value: Any) -> str:
    if name in _LISTED:
        names = list(value)[:3] if isinstance(value, dict) else [value]
        if isinstance(value, dict) and {"name", "code", "type", "src"} & value.keys():
            return "[{…}]"  # one entry, without its list
        if name == "errors":  # statuses of HTTP are no codes
            names = [name_hint(str(each), CODE) for each in names]
        return f"[{', '.join(dict.fromkeys(_mapping(name, each) for each in names))}]"
    if isinstance(value, str):
        items = f" {value[:200]}".split(" -") if value.startswith("-") else value[:200].split(",")
        return f"[{', '.join(filter(None, map(_word, items)))}]"
    return "[a, b]"


def _mapping(name: str, value: Any) -> str:
    pattern = HINTS["examples"].get(name, "{…}")
    text = _word(value) if isinstance(value, str) else ""
    if name == "auth" and isinstance(value, list):
        return f"{{scopes: [{', '.join(_word(each) for each in value[:5] if isinstance(each, str))}]}}"
    return pattern.replace("{text}", text or HINTS["samples"].get(name, "…"))


def _word(text: str) -> str:
    """Return text as it can be in a flow collection of YAML, cut if it is long."""
    shown = "".join(each for each in text.strip() if each.isprintable())[:60]
    return f"'{shown}'" if re.search(r"[\[\]{},#&*!|>%@`'\"]|: ", shown) else shown


def name_hint(value: str, pattern: str) -> str:
    """Return the name that a pattern accepts and that is most like `value`; empty if there is none."""
    if len(value) > 64:
        return ""
    if pattern == POINTER:
        return "/" + value.replace(".", "/") if re.fullmatch(r"\w+(\.\w+)*", value) else ""
    if pattern not in (CODE, GROUP, NAME):
        return ""
    plain = unicodedata.normalize("NFKD", value).encode("ascii", "ignore").decode()
    if pattern == CODE:
        plain = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", plain).lower().replace("-", "_")
    made = re.sub(r"[^a-zA-Z0-9_-]+", "_", plain).strip("_")
    if made[:1].isdigit():
        made = f"_{made}" if pattern == NAME else ""
    return made if re.fullmatch(pattern, made) else ""


_REQUIRED: Final[Mapping[JsonPath, str]] = {
    ("name",): "write `name: …`, the name that models call, in letters, digits, `_` and `-`",
    ("description",): "say in a sentence what the tool does: `description: …`",
    ("input_schema",): "write `input_schema: {type: object, properties: {…}}`",
}


def required_hint(path: JsonPath) -> str:
    """Return how to write a required field of the tool that is missing or empty; empty text for others."""
    return _REQUIRED.get(path, f"write `{path[-1]}: …`")


# Names and places


def meant_field(key: str, value: Any, known: Iterable[str], *, is_top_level: bool) -> str | None:
    """Return the field that an unknown key means: a word of another system, or a misspelt name."""
    if is_top_level and key in _FIELD_OF:
        return _FIELD_OF[key]
    if is_top_level and (key in _WRITE or key in _OWNERS or key in TARGETS or key in KEYWORDS):
        return None
    known = list(known)
    found = nearest(key.replace("-", "_"), known, cutoff=0.65)
    if found is None or nearest(key.replace("-", "_"), [found], cutoff=0.85) or not is_top_level:
        return found
    # A weak likeness counts only if the field can have such a value: `hidden: true` is not `title`.
    return found if _takes(DEFINITIONS["Tool"]["properties"][found], value) else None


def _takes(field: Mapping[str, Any], value: Any) -> bool:
    kinds = {"boolean": bool, "string": str, "integer": int, "number": int | float, "array": list}
    kind = field.get("type", "object")
    if looks_like_schema(value):
        return False
    return isinstance(value, kinds.get(kind, dict)) and (kind == "boolean" or not isinstance(value, bool))


def looks_like_schema(value: Any) -> bool:
    """True if the value is a schema, as that of a property is."""
    return isinstance(value, dict) and not _OF_SCHEMAS.isdisjoint(value)


def explained(value: Mapping[str, Any], known: Iterable[str], *, is_top_level: bool) -> Iterator[str]:
    """Yield the fields that unknown keys of a mapping stand for, so that these are not missing."""
    known = list(known)
    unknown = [key for key in value if key not in known and not key.startswith("x-")]
    for key in unknown[:MAX_KEYS]:
        inner = value[key]
        if is_top_level and key in ("tool", "tools", "function"):
            yield from known
        elif is_top_level and (key == "properties" or (isinstance(inner, dict) and "input_schema" in inner)):
            yield "input_schema"
        found = meant_field(key, inner, known, is_top_level=is_top_level)
        if not found and not is_top_level:
            found = HINTS["inner"].get(key)
        if found:
            yield found


def unknown_hint(key: str, beside: Mapping[str, Any], known: Iterable[str], *, is_top_level: bool) -> str:
    """Return what to write instead of a key of `beside` that the language does not have there."""
    value = beside.get(key)
    meant = _FIELD_OF.get(key, "") if is_top_level else HINTS["inner"].get(key, "")
    if meant in beside:
        return f"remove it: {meant!r} is there as well"
    taken = [each for each in known if each in beside]
    known = [each for each in known if each not in beside]
    if is_top_level:
        if key in _WRITE:
            return _WRITE[key]
        if meant:
            return Suggestion(f"write {meant!r}", key, meant)
        if key in TARGETS:
            return f"write `targets: {{{key}: {{…}}}}`"
        if key in _OWNERS:
            return f"write `{_OWNERS[key]}`"
        if key in KEYWORDS:
            return "put it inside of `input_schema`"
    elif meant in known:
        return Suggestion(f"write {meant!r}", key, meant)
    if "\u00a0" in key:
        return "indent with ordinary spaces: there is a no-break space"
    found = meant_field(key, value, known, is_top_level=is_top_level)
    if found:
        return suggest(key, found)
    if again := nearest(key, taken, cutoff=0.85):
        return f"remove it: {again!r} is there as well"
    if is_top_level and looks_like_schema(value):
        return "a property belongs below `properties` of `input_schema`"
    if is_top_level:
        return _WRITE["extensions"]
    here = "known here: " + ", ".join(known) if known else ""
    outer = f"{key!r} is a field of the tool, at the top level" if key in FIELDS else ""
    return "; ".join(filter(None, (here, outer)))


def _inner_fields(part: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = next((each["$ref"] for each in part.get("allOf", ()) if "$ref" in each), "")
    found: Mapping[str, Any] = DEFINITIONS.get(reference.rpartition("/")[2], {}).get("properties", {})
    return found


def _find_owners() -> Iterator[tuple[str, str]]:
    for target, part in DEFINITIONS["Targets"]["properties"].items():
        for inner in _inner_fields(part):
            yield inner, f"targets: {{{target}: {{{inner}: …}}}}"
    for field, part in DEFINITIONS["Tool"]["properties"].items():
        for inner in () if field == "targets" else _inner_fields(part):
            yield inner, f"{field}: {{{inner}: …}}"


_OWNERS: Final[Mapping[str, str]] = {
    key: place for key, place in reversed([*_find_owners()]) if key not in (*FIELDS, *KEYWORDS)
}
"""Keys that belong into a field → how they are written there."""
