"""What to write instead of a keyword, a type or a value that JSON Schema does not have.

People write schemas in the words of OpenAPI, of Pydantic, of older drafts and of form builders.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from toolgen.base.escaping.characters import printable
from toolgen.base.suggestions import Suggestion, did_you_mean, quoted
from toolgen.runtime.definition.field_hints import HINTS, looks_like_schema
from toolgen.runtime.definition.spec_schema import FIELDS
from toolgen.schema.document import JsonPath, locate
from toolgen.schema.keywords import FORMATS, KEYWORDS, SCHEMA_HOLDING, SCHEMA_LISTS, TYPES

_X = "rename it to x-{key} if it is meant for your own use, or remove it"
_RENAMED: Final = HINTS["keywords"]
_FOREIGN: Final = HINTS["foreign"]
_TYPE_WORDS: Final = HINTS["types"]
_BINARY: Final = frozenset(("binary", "blob", "bytes", "file"))
_LISTS: Final = frozenset(("array", "frozenset", "iterable", "list", "sequence", "set"))
_MAPS: Final = frozenset(("dict", "map", "mapping", "record"))
_OF_OBJECTS: Final = frozenset(
    ("additionalProperties", "maxProperties", "minProperties", "patternProperties", "properties", "required")
)
_MAX_EXPRESSION: Final = 200  # characters of a type that is taken apart
_GENERIC = re.compile(r"([A-Za-z.]+)[\[<](.*)[\]>]", re.DOTALL)


def is_foreign(key: str) -> bool:
    """True if the key is a word of another system, rather than a misspelt keyword."""
    return key in _RENAMED or key in _FOREIGN or key == "example"


def fits_keyword(keyword: str, value: Any) -> bool:
    """True unless the value is a schema and the keyword takes none: `cost: {type: number}` is not `const`."""
    return not looks_like_schema(value) or keyword in SCHEMA_HOLDING


def keyword_hint(key: str, node: Mapping[str, Any], *, is_root: bool = False) -> str:
    """Return what to write instead of a keyword of `node` that JSON Schema does not have."""
    value = node[key]
    if key == "nullable" and "enum" in node:
        return f"{_FOREIGN[key]}; and add null to `enum`"
    if key in _FOREIGN:
        return _FOREIGN[key]
    if key == "example":
        return f"write `examples: [{_shown(value)}]`"
    if key in _RENAMED:
        return f"write `{_RENAMED[key]}`"
    if key.startswith(":") or re.match(r"[a-z]+:\S", key):
        return "put a space after the colon"
    if is_root and key in FIELDS and key not in KEYWORDS:
        return f"{quoted(key)} is a field of the tool: move it out of the schema, to the top level"
    if looks_like_schema(value):
        return "if it is a property, move it below `properties`"
    if value is None:
        return "quote the text before it, if both are one text: within `{…}`, a comma ends unquoted text"
    return f"it is published unchanged; {_X.format(key=_shown(key))}"


def type_hint(written: str) -> str:
    """Return what to write instead of a type that JSON Schema does not have."""
    name = written.strip()
    if name.lower() == "any":
        return "leave `type` out: a schema without it accepts any value"
    if name.lower() == "enum":
        return "write `type: string`, and list the values in `enum`"
    if name.lower() == "tuple":
        return "write `type: array` and `prefixItems`"
    known = _keywords_of(name) if len(name) <= _MAX_EXPRESSION else None
    if known is not None:
        optional = " (or leave the name out of `required`)" if '"null"' in known and "?" in name else ""
        items = ", with `items`" if known == "type: array" else ""
        hint = f"write `{known}`{optional}{items}"
        json_type = known.removeprefix("type: ")
        return Suggestion(hint, written, json_type) if json_type in TYPES and not items else hint
    return did_you_mean(name, TYPES) or "known: " + ", ".join(TYPES)


def _keywords_of(name: str, depth: int = 4) -> str | None:
    """Return the keywords for a type of Python, TypeScript or OpenAPI; None if it is unknown."""
    if depth == 0:
        return None
    word = name.strip().strip("\"'").removeprefix("typing.")
    lower = word.lower().replace("_", "-")
    if lower in TYPES and lower != "null":
        return f"type: {lower}"
    if lower in _TYPE_WORDS:
        return f"type: {_TYPE_WORDS[lower]}"
    if lower in _BINARY:
        return "type: string, contentEncoding: base64"
    formats = {"datetime": "date-time", "timestamp": "date-time", "url": "uri"}
    if (found := formats.get(lower, lower)) in FORMATS:
        return f"type: string, format: {found}"
    if word.endswith("[]"):
        return _list_of(word[:-2], depth)
    if word.endswith("?"):
        return _union([word[:-1], "null"], depth)
    if generic := _GENERIC.fullmatch(word):
        return _generic(generic[1].lower(), generic[2], depth)
    for separator in ("|", ","):
        if separator in word and "[" not in word and "<" not in word:
            return _union(word.split(separator), depth)
    return None


def _generic(outer: str, inner: str, depth: int) -> str | None:
    if outer in _LISTS:
        return _list_of(inner, depth)
    if outer in _MAPS:
        values = _keywords_of(inner.partition(",")[2], depth - 1)
        return f"type: object, additionalProperties: {{{values}}}" if values else "type: object"
    if outer == "literal":
        return f"enum: [{printable(inner)}]"
    if outer == "optional":
        return _union([inner, "null"], depth)
    return _union(inner.split(","), depth) if outer == "union" else None


def _list_of(item: str, depth: int) -> str | None:
    items = _keywords_of(item, depth - 1)
    return f"type: array, items: {{{items}}}" if items else None


def _union(members: list[str], depth: int) -> str | None:
    known = [_keywords_of(member, depth - 1) for member in members]
    if not all(known):
        return None
    parts = [part for part in known if part]
    if all(re.fullmatch(r'type: ("null"|[a-z]+)', part) for part in parts):
        return f"type: [{', '.join(part.removeprefix('type: ') for part in parts)}]"
    return f"anyOf: [{', '.join(f'{{{part}}}' for part in parts)}]"


def shape_hint(schema: Mapping[str, Any], path: JsonPath, value: Any, expected: str) -> str:
    """Return what to write where the keyword at the end of `path` in `schema` has a value of the wrong kind.

    `expected` is the message of the meta-schema's validator.
    """
    keyword = str(next((step for step in reversed(path) if isinstance(step, str)), ""))
    if path[-2:-1] in (("properties",), ("patternProperties",)) and keyword in KEYWORDS:
        return _misindented_hint(schema, path, keyword)
    if keyword in ("exclusiveMinimum", "exclusiveMaximum") and isinstance(value, bool):
        bound = keyword[9:].lower()
        node = locate(schema, path[:-1])
        limit = node.value.get(bound, "…") if node and isinstance(node.value, dict) else "…"
        if not value:
            return f"remove it: `{bound}` alone includes the bound"
        return f"write the number itself: `{keyword}: {limit}`; remove `{bound}`"
    if keyword == "required":
        return _required_hint(path, value)
    if value is None and '"boolean"' not in expected and '"object"' not in expected:
        return "give it a value, or remove it; quote text that begins with `#`"
    if keyword == "items" and isinstance(value, list):
        return "write one schema; for a tuple, write `prefixItems`"
    if "boolean" in expected and "object" in expected:
        return _schema_hint(keyword, value)
    if keyword == "properties":
        return "write a mapping, indented below: `properties: {name: {type: string}}`"
    if '"array"' in expected:
        if keyword in SCHEMA_LISTS:
            return f"write a list of schemas: `{keyword}: [{{type: string}}, {{type: integer}}]`"
        return f"write a list: `{keyword}: [{_listed(value)}]`"
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value):
        return f"write it without quotes: `{keyword}: {value}`"
    if '"string"' in expected:
        return "write text, in quotes if it has characters such as `[`, `{` or `#`"
    if '"integer"' in expected or '"number"' in expected:
        return f"write a number: `{keyword}: 1`"
    if "less than 1 item" in expected:
        return "list one schema at least, or remove it"
    return ""


def _misindented_hint(schema: Mapping[str, Any], path: JsonPath, keyword: str) -> str:
    """Return where a keyword belongs that has become the name of a property by its indentation."""
    shown = "move it out of `properties`, to the level above, beside `type`"
    properties = locate(schema, path[:-1])
    names = list(properties.value) if properties and isinstance(properties.value, dict) else []
    above = names[names.index(keyword) - 1] if keyword in names[1:] else None
    # what describes one value may belong to the property above it
    if properties and above is not None and keyword not in _OF_OBJECTS:
        before = properties.value[above]
        if isinstance(before, dict) and keyword not in before:
            shown = f"indent it below {quoted(above)}, if it belongs to that property; or else {shown}"
    return f"{shown}; for a property of this name, write a schema: `{keyword}: {{type: string}}`"


def _required_hint(path: JsonPath, value: Any) -> str:
    owner = path[-2] if len(path) > 2 and path[-3] == "properties" else None
    if isinstance(value, bool) and owner is not None:
        if not value:
            return "remove it: properties are optional unless `required` of their object has them"
        return f"write `required: [{_shown(owner)}]` in the object around it, beside `properties`"
    names = _listed(value) if isinstance(value, str | dict) and value else "name"
    return f"list the names of the required properties: `required: [{names}]`"


def _schema_hint(keyword: str, value: Any) -> str:
    if value is None:
        return "write a schema: `{type: string}`, or `{}` for any value; check the indentation below"
    if isinstance(value, list):
        return "write one schema: `{type: string}`; for several types, `{type: [string, integer]}`"
    if isinstance(value, str):
        if value.lower() in ("no", "off", "false"):
            return f"write `{keyword}: false`"
        if value.lower() in ("yes", "on", "true"):
            return f"write `{keyword}: true`"
        if re.match(r"[a-z]+:[\s\u00a0]*\S", value):
            return "put a space after the colon: `type: string`, with an ordinary space"
        known = _keywords_of(value) if len(value) <= _MAX_EXPRESSION else None
        if known:
            return f"write `{{{known}}}`"
        return "write a schema: `{type: string, description: …}`"
    return "write a schema: `{type: string}`"


def _listed(value: Any) -> str:
    """Return a value that should be a list as items of one."""
    if isinstance(value, dict):
        return ", ".join(map(_shown, list(value)[:5]))
    return _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = printable(str(value)[:100])
    return text if isinstance(value, str | int | float) and len(text) <= 60 else "…"
