"""What to write instead of a keyword, a type or a value that JSON Schema does not have.

People write schemas in the words of OpenAPI, of Pydantic, of older drafts and of form builders.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from toolgen.base.escaping.characters import printable
from toolgen.base.suggestions import Suggestion, did_you_mean, quoted
from toolgen.runtime.definition.spec_schema import FIELDS
from toolgen.runtime.definition.unknown_fields import HINTS, looks_like_schema
from toolgen.schema.document import JsonPath
from toolgen.schema.keywords import KEYWORDS, SCHEMA_HOLDING, SCHEMA_LISTS, TYPES

_X = "rename it to x-{key} if it is meant for your own use, or remove it"
_RENAMED: Final = HINTS["keywords"]
_FOREIGN: Final = HINTS["foreign"]
_TYPE_WORDS: Final = HINTS["types"]
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_FIRST_WORD: Final = re.compile(r"(?:typing\.)?([a-z][a-z0-9-]*)")
_SEVERAL: Final = re.compile(r"[|,?]")


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
    name = written.strip().lower()
    if found := keywords_of(name):
        hint, json_type = f"write `{found}`", found.removeprefix("type: ")
        return Suggestion(hint, written, json_type) if json_type in TYPES else hint
    return did_you_mean(name, TYPES) or "known: " + ", ".join(TYPES)


def keywords_of(name: str) -> str:
    """Return the keywords for a type of Python, TypeScript or OpenAPI; an empty string if it is unknown."""
    name = name.strip().lower()
    word = _FIRST_WORD.match(name)
    if word is None:
        return ""
    if word[0] == name and name in TYPES and name != "null":
        return f"type: {name}"
    if name.endswith("[]"):
        return _TYPE_WORDS["array"]
    if "[" not in name and "<" not in name and _SEVERAL.search(name):
        return _TYPE_WORDS["union"]
    return _TYPE_WORDS.get(word[1], "")


def shape_hint(schema: Mapping[str, Any], path: JsonPath, value: Any, expected: str) -> str:
    """Return what to write where the keyword at the end of `path` in `schema` has a value of the wrong kind.

    `expected` is the message of the meta-schema's validator.
    """
    keyword = str(next((step for step in reversed(path) if isinstance(step, str)), ""))
    is_schema = '"boolean"' in expected and '"object"' in expected
    if path[-2:-1] in (("properties",), ("patternProperties",)) and keyword in KEYWORDS:
        return (
            f"move it out of `properties`, beside `type`, or below the property that it belongs to; "
            f"for a property of this name, write a schema: `{keyword}: {{type: string}}`"
        )
    if keyword in ("exclusiveMinimum", "exclusiveMaximum") and isinstance(value, bool):
        bound = keyword.removeprefix("exclusive").lower()
        return f"write the number itself: `{keyword}: …`, and remove `{bound}`; `{bound}` alone includes it"
    if keyword == "required" and value is False:
        return "remove it: properties are optional unless `required` of their object has them"
    if keyword == "required":
        is_in_property = path[-3:-2] == ("properties",) and value is True
        name = _shown(path[-2]) if is_in_property else _shown(value) if isinstance(value, str) else "name"
        return f"list the names in the object, beside `properties`: `required: [{name}]`"
    if is_schema:
        return _schema_hint(value)
    if value is None:
        return "give it a value, or remove it; quote text that begins with `#`"
    if keyword == "properties":
        return "write a mapping, indented below: `properties: {name: {type: string}}`"
    if '"array"' in expected and keyword in SCHEMA_LISTS:
        return f"write a list of schemas: `{keyword}: [{{type: string}}, {{type: integer}}]`"
    if '"array"' in expected:
        return f"write a list: `{keyword}: [{_shown(value)}]`"
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return f"write it without quotes: `{keyword}: {value}`"
    if '"string"' in expected:
        return "write text, in quotes if it has characters such as `[`, `{` or `#`"
    if '"integer"' in expected or '"number"' in expected:
        return f"write a number: `{keyword}: 1`"
    return ""


def _schema_hint(value: Any) -> str:
    if value is None:
        return "write a schema: `{type: string}`, or `{}` for any value; check the indentation below"
    if isinstance(value, list):
        return "write one schema; `{type: [string, integer]}` for several types, `prefixItems` for a tuple"
    if isinstance(value, str) and re.match(r"[a-z]+:[\s\u00a0]*\S", value):
        return "put a space after the colon: `type: string`, with an ordinary space"
    if isinstance(value, str) and (found := keywords_of(value)):
        return f"write `{{{found}}}`"
    return "write a schema: `{type: string, description: …}`, or true or false without quotes"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = printable(str(value)[:100])
    return text if isinstance(value, str | int | float) and len(text) <= 60 else "…"
