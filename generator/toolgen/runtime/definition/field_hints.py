"""What to write where a field of a spec has the wrong name, the wrong place, or a value of the wrong kind."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from toolgen.base.suggestions import Suggestion, nearest, suggest
from toolgen.schema.document import JsonPath
from toolgen.schema.keywords import KEYWORDS

from .spec_schema import CODE, DEFINITIONS, FIELDS, GROUP, NAME, POINTER, TARGETS

_OWN = "carry data of your own under a key that begins with `x-`"
_SCHEMA = "write {field!r}, with a JSON Schema of type object"

_MEANT: Final[Mapping[str, tuple[str, ...]]] = {
    "aliases": ("alias",),
    "avoid_when": ("do_not_use_when", "dont_use_when", "when_not_to_use"),
    "description": ("summary",),
    "errors": ("error_codes", "exceptions", "raises"),
    "final_answer": ("return_direct",),
    "group": ("namespace",),
    "icons": ("icon",),
    "input_schema": (
        *("args", "args_schema", "arguments", "input", "inputSchema", "inputs", "parameters"),
        *("parametersJsonSchema", "parameters_json_schema", "params", "requestBody"),
    ),
    "meta": ("_meta", "metadata"),
    "name": ("id", "operationId"),
    "output_schema": ("output", "outputSchema", "outputs", "response", "responses"),
    "tags": ("categories", "category"),
    "timeout": ("timeout_ms", "timeout_seconds"),
    "title": ("display_name",),
    "use_when": ("when_to_use",),
}
"""Fields → keys of other systems for them, whose values may have another form."""

_FIELD_OF: Final = {key: field for field, keys in _MEANT.items() for key in keys}

_WRITE: Final[Mapping[str, str]] = {
    **{
        key: _SCHEMA.format(field=field)
        for key, field in _FIELD_OF.items()
        if field.endswith("_schema") and key not in ("inputSchema", "outputSchema")
    },
    "$defs": "put it inside of `input_schema`, or into a file of its own for schemas that tools share",
    "$schema": "put it inside of `input_schema`; for an editor, write `# yaml-language-server: $schema=…`",
    "category": "write `tags: […]`",
    "components": "put the schemas into `$defs` of `input_schema`, or into a file that has only `$defs`",
    "confirmation": "write 'confirm', with a `message`",
    "defer_loading": "write `load: deferred`",
    "definitions": "put them into `$defs` of `input_schema`",
    "dependencies": "write `inject: [{name: …, type: …}]`",
    "depends": "write `inject: [{name: …, type: …}]`",
    "destructive": "write `annotations: {destructiveHint: true}`",
    "disabled": "write `enabled: false`",
    "extensions": _OWN,
    "function": "write its fields here, at the top level; Python code is found by the tool's name",
    "handler": f"remove it: the implementation is a Python class, found by the tool's name; or {_OWN}",
    "icon": "write `icons: [{src: …}]`",
    "idempotent": "write `annotations: {idempotentHint: true}`",
    "implementation": f"remove it: the implementation is a Python class, found by the tool's name; or {_OWN}",
    "input_examples": "write `examples: [{name: …, input: {…}}]`",
    "inputSchema": "write 'input_schema'",
    "needs_approval": "write `confirm: {message: …}`",
    "outputSchema": "write 'output_schema'",
    "permissions": "write `auth: {scopes: […]}`",
    "properties": "put it inside of `input_schema`, beside `type: object`",
    "readOnly": "write `annotations: {readOnlyHint: true}`",
    "read_only": "write `annotations: {readOnlyHint: true}`",
    "required": "put it inside of `input_schema`, beside `properties`",
    "requires_approval": "write `confirm: {message: …}`",
    "security": "write `auth: {scopes: […]}`",
    "streaming": "write `stream: {chunk_schema: …}`",
    "strict": "write `targets: {openai: {strict: …}}`",
    "timeout_ms": "write `timeout`, in seconds",
    "tool": "write its fields here, at the top level, without this key",
    "tools": "write one file for each tool, with its fields at the top level; `toolgen import` does that",
    "type": "remove it; the schema of the request, `parameters` of OpenAI, belongs in `input_schema`",
}
"""Top-level keys of other systems → what to write instead."""

_EXAMPLES: Final[Mapping[str, str]] = {
    "annotations": "{readOnlyHint: true}",
    "auth": "{scopes: [orders:read]}",
    "background": "{result_ttl: 3600}",
    "confirm": "{message: {text}}",
    "content": "{type: {text}}",
    "deprecated": "{message: {text}}",
    "errors": "{code: {text}, description: …}",
    "examples": "{name: {text}, input: {…}}",
    "icons": "{src: {text}}",
    "inject": "{name: {text}, type: module.Type}",
    "idempotency": "{ttl: 3600}",
    "input": "{property: value}",
    "input_schema": "{type: object, properties: {…}}",
    "output_schema": "{type: {text}}",
    "chunk_schema": "{type: {text}}",
    "meta": "{key: value}",
    "page": "{items: /items, cursor: /next_cursor, from: /cursor}",
    "rate_limit": "{per_minute: 60}",
    "stream": "{chunk_schema: {type: string}}",
    "targets": "{openai: {strict: true}}",
}
"""Fields → a smallest valid mapping for them; `{text}` is what was written in its place."""

_SAMPLES: Final[Mapping[str, str]] = {
    "chunk_schema": "string",
    "confirm": "Place the order?",
    "content": "image",
    "deprecated": "Use another_tool.",
    "errors": "not_found",
    "examples": "a small order",
    "icons": "https://example.com/icon.png",
    "inject": "database",
    "output_schema": "object",
}
"""Words for `{text}` where none was written."""

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
    pattern = _EXAMPLES.get(name, "{…}")
    text = _word(value) if isinstance(value, str) else ""
    if name == "auth" and isinstance(value, list):
        return f"{{scopes: [{', '.join(_word(each) for each in value[:5] if isinstance(each, str))}]}}"
    return pattern.replace("{text}", text or _SAMPLES.get(name, "…"))


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
            found = _INNER.get(key)
        if found:
            yield found


def unknown_hint(key: str, beside: Mapping[str, Any], known: Iterable[str], *, is_top_level: bool) -> str:
    """Return what to write instead of a key of `beside` that the language does not have there."""
    value = beside.get(key)
    meant = _FIELD_OF.get(key, "") if is_top_level else _INNER.get(key, "")
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
        return _OWN
    here = "known here: " + ", ".join(known) if known else ""
    outer = f"{key!r} is a field of the tool, at the top level" if key in FIELDS else ""
    return "; ".join(filter(None, (here, outer)))


_INNER: Final[Mapping[str, str]] = {
    "arguments": "input",
    "chunk": "chunk_schema",
    "expected": "output",
    "expected_output": "output",
    "message": "description",
    "result": "output",
    "retry": "retryable",
}
"""Keys that other systems have within a field → that of the language."""


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
