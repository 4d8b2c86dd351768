"""Equal subschemas of a document, written once: the opposite of `inline.py`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from toolgen.schema.document import JsonPath, Schema, subschemas

_LEAST: Final = 40  # characters of a subschema that is worth a reference
_MAX_COMPARED: Final = 20_000_000  # characters of all subschemas: about half a second
_BOUND_TO_PLACE: Final = frozenset(
    ("$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor")
)


def share_equal(schema: Schema) -> Schema:
    """Return a schema for the same values, in which subschemas that occur several times are definitions.

    It is `schema` itself if there are none, if references point at other places than definitions, or if the
    schema is too large to compare its parts.
    """
    nodes = dict(subschemas(schema))
    if not all(map(_may_move, nodes.values())):
        return schema
    texts: dict[JsonPath, str] = {}
    compared = 0
    for path, node in nodes.items():
        texts[path] = json.dumps(node, ensure_ascii=False, sort_keys=True)
        compared += len(texts[path])
        if compared > _MAX_COMPARED:
            return schema
    # a part that is repeated only because the schema around it is would be a definition that is used once
    places = {
        (text, path[len(around := _around(path, nodes)) :], texts[around])
        for path, text in texts.items()
        if len(text) >= _LEAST
    }
    numbers = Counter(text for text, *_ in places)
    repeated = {text for text, number in numbers.items() if number > 1}
    if not repeated:
        return schema
    copy = _Copy(schema, {path: text for path, text in texts.items() if text in repeated})
    made: dict[str, Any] = copy.of(schema, ())
    return {**made, copy.keyword: {**made.get(copy.keyword, {}), **copy.definitions}}


class _Copy:
    """A copy of a schema in which references replace repeated subschemas, whose texts are in `repeated`."""

    def __init__(self, schema: Schema, repeated: Mapping[JsonPath, str]) -> None:
        self.keyword = "definitions" if "definitions" in schema else "$defs"
        self.definitions: dict[str, Any] = {}
        self._repeated = repeated
        self._number = 1
        self._taken = set(schema.get(self.keyword, {}))
        # one that is a definition already keeps its name
        self._names = {
            text: str(path[1])
            for path, text in repeated.items()
            if len(path) == 2 and path[0] == self.keyword and str(path[1]).isidentifier()
        }

    def of(self, value: Any, path: JsonPath) -> Any:
        """Return `value`, which is at `path`, with references."""
        text = self._repeated.get(path)
        if text is None or path == (self.keyword, self._names.get(text)):
            return self._inside(value, path)
        if text not in self._names:
            while (name := f"s{self._number}") in self._taken:
                self._number += 1
            self._taken.add(name)
            self._names[text] = name
            self.definitions[name] = self._inside(value, path)
        return {"$ref": f"#/{self.keyword}/{self._names[text]}"}

    def _inside(self, value: Any, path: JsonPath) -> Any:
        if isinstance(value, dict):
            return {key: self.of(inner, (*path, key)) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.of(inner, (*path, index)) for index, inner in enumerate(value)]
        return value


def _around(path: JsonPath, nodes: Mapping[JsonPath, Schema]) -> JsonPath:
    """Return the path of the schema that directly holds the one at `path`; the root's is its own."""
    return next((path[:-steps] for steps in (1, 2) if path[:-steps] in nodes), ())


def _may_move(node: Schema) -> bool:
    reference = node.get("$ref", "#/$defs/x")
    return (
        isinstance(reference, str)
        and reference.startswith(("#/$defs/", "#/definitions/"))
        and reference.count("/") == 2
        and _BOUND_TO_PLACE.isdisjoint(node)
    )
