"""Gemini: the JSON Schema that its documentation gives for function declarations.

References are inlined, since some clients drop `$defs` (google-gemini/gemini-cli#13326) and the API takes
nothing beside a `$ref` (anomalyco/opencode#12295); only recursive schemas keep references.
Keywords that Gemini does not have are put into the description; the runtime still enforces them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final

from toolgen.schema.dialects.all_of import DROPPED, merge_all_of
from toolgen.schema.dialects.published import Loss, Published
from toolgen.schema.document import (
    JsonObject,
    JsonPath,
    Located,
    SchemaDocument,
    edited,
    follow,
    json_type,
    subschemas,
)
from toolgen.schema.inline import MAX_SUBSCHEMAS
from toolgen.schema.keywords import CONSTRAINING
from toolgen.schema.providers import GEMINI_FORMATS, GEMINI_KEYWORDS, ProviderNames, ascii_name

MAX_DEPTH: Final = 100
"""Maximum nesting of subschemas after inlining; beyond it, every reference is kept."""

_UNCHANGED: Final = GEMINI_KEYWORDS - {"$ref", "$defs", "format", "oneOf"}
_ONE: Final = ("items", "additionalProperties")
_LISTS: Final = ("prefixItems", "anyOf", "oneOf")
_MAX_LENGTH: Final = 200  # characters of a value in a description
_DESCRIBABLE: Final = (CONSTRAINING | {"default"}) - GEMINI_KEYWORDS - {"allOf"}
"""Keywords that a description can mention."""
_CYCLE: Final = (
    "What contains itself is followed only through properties that are not required, so {name!r} is not; "
    "toolgen still asks for it."
)


def publish(document: SchemaDocument) -> Published:
    """Return what a tool publishes for Gemini; the author's schema if nothing has to change."""
    if all(_is_supported(node) for _, node in subschemas(document.schema)):
        return Published(document.schema)
    converter = _Converter(document.plain, inline=True)
    try:
        made = converter.root()
    except _InlinedTooLargeError:
        converter = _Converter(document.plain, inline=False)  # each subschema is converted once
        made = converter.root()
    return Published(made, losses=tuple(converter.losses))


def _is_supported(node: Mapping[str, Any]) -> bool:
    """True if Gemini takes a subschema unchanged."""
    return node.keys() <= _UNCHANGED and not (
        "enum" in node and not all(type(value) in (str, int, float) for value in node["enum"])
    )


class _InlinedTooLargeError(Exception):
    """Inlining would make the schema too large."""


class _Converter:
    """One conversion: the definitions made so far, and the losses."""

    def __init__(self, document: SchemaDocument, inline: bool) -> None:
        self.losses: dict[Loss, None] = {}
        self._document, self._inline = document, inline
        self._names: dict[JsonPath, str] = {}  # path of a definition → its name in `$defs`
        self._unique_names = ProviderNames()
        self._depth = 0
        self._following: list[JsonPath] = []  # targets of the references that are being followed
        self._subschemas = 0

    def root(self) -> JsonObject:
        """Return the whole schema, with definitions of recursive subschemas."""
        printed = self._convert(self._document.schema, (), target=())
        definitions: JsonObject = {}
        while waiting := [place for place, name in self._names.items() if name not in definitions]:
            target = waiting[0]
            definitions[self._names[target]] = {}
            node = follow(self._document.schema, target)
            definitions[self._names[target]] = self._convert(node, target, target=target)
        whole = {**printed, "$defs": dict(sorted(definitions.items()))} if definitions else printed
        made: JsonObject = edited(whole, lambda _, node: _with_description(node))
        return made

    def _convert(self, node: Any, path: JsonPath, target: JsonPath | None = None) -> JsonObject:
        """Convert one subschema. `target` is its path if a reference led to it.

        What was dropped is under `DROPPED`: it is described when all parts of the subschema are merged.
        """
        self._subschemas += 1
        if self._inline and (self._subschemas > MAX_SUBSCHEMAS or self._depth > MAX_DEPTH):
            raise _InlinedTooLargeError
        if not isinstance(node, Mapping):
            if node is False:
                self._lose(
                    path[:-1],
                    str(path[-1]),
                    "That no value is accepted cannot be said; toolgen still enforces it.",
                )
            return {}
        self._depth += 1
        if target is not None:
            self._following.append(target)
        printed = self._body(node, path)
        if target is not None:
            self._following.pop()
        self._depth -= 1
        return printed

    def _body(self, node: Mapping[str, Any], path: JsonPath) -> JsonObject:
        reference = node.get("$ref")
        if reference is not None and not self._document.siblings_apply:
            node = {"$ref": reference}
        own, dropped = _translate({key: value for key, value in node.items() if key != "$ref"})
        for keyword in dropped:
            if keyword in CONSTRAINING:
                self._lose(path, keyword, f"There is no `{keyword}`; toolgen still enforces it.")
        printed = self._children(own, node, path)
        if dropped:
            printed[DROPPED] = _describe_dropped(dropped)
        parts = [printed]
        if reference is not None:
            parts = [printed, self._reference(reference, path)]
        for index, branch in enumerate(node.get("allOf", ())):
            parts.append(self._convert(branch, (*path, "allOf", index)))
        parts = [part for part in parts if part]
        whole, lost = merge_all_of(parts)
        for keyword in lost:
            self._lose(path, keyword, f"Only one `{keyword}` can be said; toolgen enforces them all.")
        return whole

    def _children(self, own: JsonObject, node: Mapping[str, Any], path: JsonPath) -> JsonObject:
        """Return `own` with its subschemas converted."""
        printed = {key: value for key, value in own.items() if key not in ("$defs", "definitions")}
        for keyword in _ONE:
            if isinstance(printed.get(keyword), Mapping):
                is_rest = keyword == "items" and isinstance(node.get("items"), list)
                origin = "additionalItems" if is_rest else keyword
                printed[keyword] = self._convert(printed[keyword], (*path, origin))
        for keyword in _LISTS:
            if keyword in printed:
                origin = "items" if keyword == "prefixItems" and keyword not in node else keyword
                printed[keyword] = [
                    self._convert(each, (*path, origin, index)) for index, each in enumerate(printed[keyword])
                ]
        if "oneOf" in printed:
            self._lose(path, "oneOf", "`oneOf` is taken for `anyOf`; toolgen still enforces it.")
        if isinstance(printed.get("properties"), Mapping):
            self._properties(printed, path)
        return printed

    def _properties(self, printed: JsonObject, path: JsonPath) -> None:
        properties: JsonObject = {}
        required = list(printed.get("required", ()))
        for name, child in printed["properties"].items():
            here = (*path, "properties", name)
            if child is False:
                self._lose(here[:-1], name, f"No value of {name!r} is accepted, so it is left out.")
                continue
            properties[name] = self._convert(child, here)
            if name in required and self._following and _requires_reference(properties[name]):
                self._lose(path, "required", _CYCLE.format(name=name), always=True)
                required.remove(name)
        printed["properties"] = properties
        if required:
            printed["required"] = required
        else:
            printed.pop("required", None)

    def _reference(self, reference: Any, path: JsonPath) -> JsonObject:
        found = self._document.target(reference)
        if not isinstance(found, Located):
            self._lose(
                path, "$ref", f"What {reference!r} leads to cannot be said; toolgen still enforces it."
            )
            return {}
        target, place = found
        if place in self._following or not self._inline:
            return {"$ref": f"#/$defs/{self._name_of(place)}"}
        return self._convert(target, place, target=place)

    def _name_of(self, place: JsonPath) -> str:
        if place not in self._names:
            name = ascii_name(str(place[-1]) if place else "root", "schema")
            self._names[place] = self._unique_names.add(name)
        return self._names[place]

    def _lose(self, path: JsonPath, keyword: str, reason: str, *, always: bool = False) -> None:
        self.losses[Loss(path, keyword, reason, always=always)] = None


def _with_description(printed: JsonObject) -> JsonObject:
    """Return a converted subschema with what was dropped at the end of its description."""
    made = {key: value for key, value in printed.items() if key != DROPPED}
    if printed.get(DROPPED):
        more = f"({'; '.join(printed[DROPPED].values())})"
        made["description"] = f"{made['description']} {more}" if made.get("description") else more
    return made


def _requires_reference(printed: JsonObject) -> bool:
    """True if every value of `printed` has a part that a reference describes."""
    if "$ref" in printed:
        return True
    below = [printed[keyword] for keyword in _ONE if isinstance(printed.get(keyword), dict)]
    below += [each for keyword in _LISTS for each in printed.get(keyword, ())]
    below += [printed.get("properties", {}).get(name, {}) for name in printed.get("required", ())]
    return any(_requires_reference(each) for each in below)


# The own keywords of one subschema


def _translate(node: Mapping[str, Any]) -> tuple[JsonObject, JsonObject]:
    """Return the own keywords of `node` in those that Gemini has, and those without a counterpart.

    Subschemas are left as they are.
    """
    made = {key: value for key, value in node.items() if key in GEMINI_KEYWORDS}
    dropped = {key: value for key, value in node.items() if key in _DESCRIBABLE and _constrains(key, value)}
    if "const" in node:
        made = _list_values([node["const"]], "const", made, dropped)
    elif "enum" in node:
        made = _list_values(list(node["enum"]), "enum", made, dropped)
    if isinstance(made.get("format"), str) and made["format"] not in GEMINI_FORMATS:
        dropped["format"] = made.pop("format")
    _bounds(node, made, dropped)
    _items(made, dropped, node)
    if made.get("additionalProperties") is False and node.get("patternProperties"):
        del made["additionalProperties"]  # some are accepted: `patternProperties` says which
    return made, dropped


def _constrains(keyword: str, value: Any) -> bool:
    """True if a keyword with this value constrains anything, or is a default."""
    if keyword in ("default", "const"):
        return True
    if keyword in ("minLength", "minProperties", "minContains"):
        return bool(value)
    if isinstance(value, bool):
        return value is (keyword in ("not", "uniqueItems"))
    return value not in ({}, [])


def _list_values(values: list[Any], keyword: str, made: JsonObject, dropped: JsonObject) -> JsonObject:
    """Return `made` with `values` as Gemini takes them: text and numbers in `enum`, null as a type."""
    made.pop("enum", None)
    dropped.pop("const", None)
    types = list(dict.fromkeys(map(json_type, values)))
    listed = [value for value in values if type(value) in (str, int, float)]
    if not {"array", "object"}.isdisjoint(types) or (
        "boolean" in types and not {True, False} <= {v for v in values if type(v) is bool}
    ):
        dropped[keyword] = values[0] if keyword == "const" else values
        return made
    if "boolean" not in types and listed and len(listed) == len(values):
        return {**_with_types(made, types), "enum": listed}
    if listed and "boolean" not in types and len(types) == 2:  # texts, or numbers, and null
        one = {"type": next(each for each in types if each != "null"), "enum": listed}
        made.pop("type", None)
        return {**made, "anyOf": [one, {"type": "null"}]} if "anyOf" not in made else made
    if listed:
        dropped[keyword] = values
    return _with_types(made, types)


def _with_types(made: JsonObject, types: list[str]) -> JsonObject:
    if "type" in made:
        return made
    return {"type": types[0] if len(types) == 1 else types, **made}


def _bounds(node: Mapping[str, Any], made: JsonObject, dropped: JsonObject) -> None:
    """Replace exclusive bounds of integers by inclusive ones: Gemini has no others."""
    if node.get("type") != "integer":
        return
    for keyword, inclusive, step in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
        bound = node.get(keyword)
        if isinstance(bound, int | float) and not isinstance(bound, bool) and math.isfinite(bound):
            nearest = math.floor(bound) + 1 if step > 0 else math.ceil(bound) - 1
            other = made.get(inclusive)
            made[inclusive] = nearest if other is None else (max if step > 0 else min)(other, nearest)
            dropped.pop(keyword, None)


def _items(made: JsonObject, dropped: JsonObject, node: Mapping[str, Any]) -> None:
    """Rewrite draft-07's lists of items as `prefixItems`; drop `items: false`."""
    if isinstance(made.get("items"), list):
        made["prefixItems"] = made.pop("items")
        if isinstance(node.get("additionalItems"), Mapping):
            made["items"] = node["additionalItems"]
            dropped.pop("additionalItems", None)
        elif node.get("additionalItems") is False:
            dropped["additionalItems"] = False
    if isinstance(made.get("items"), bool) and made.pop("items") is False:
        dropped["items"] = False


def _describe_dropped(dropped: JsonObject) -> dict[str, str]:
    """Return a text for each dropped keyword that is short, by itself; that of `default` by the keyword."""
    texts = {
        keyword: f"{keyword}: {text}"
        for keyword, value in dropped.items()
        if len(text := json.dumps(value, ensure_ascii=False)) <= _MAX_LENGTH
    }
    # A schema has many patterns if its parts have; of defaults it has the outermost.
    return {keyword if keyword == "default" else text: text for keyword, text in texts.items()}
