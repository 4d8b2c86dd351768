"""Move components that several tools use from the specs into one file of shared schemas."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolgen.importers.imported_tool import ImportedTool
from toolgen.importers.openapi.bundle import referenced_names
from toolgen.schema.document import format_pointer, replace_refs, subschemas
from toolgen.schema.keywords import ALL_REFERENCES

_FIELDS = ("input_schema", "output_schema")

Definitions = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SharedComponents:
    """Tools whose schemas refer to a shared file, and the `$defs` of that file."""

    tools: list[ImportedTool]
    definitions: Definitions


def share_components(
    tools: Sequence[ImportedTool], file: str, known: Collection[str] = ()
) -> SharedComponents:
    """Move the definitions that at least two of `tools` have to `file`, a path relative to the specs.

    A definition is the same if all that it refers to is: requests leave out other properties than responses,
    and a response that is too long is cut off. The variant that most tools have is moved, the others remain.
    `known` are definitions that the file has already: one tool that has them is enough.
    """
    variants = _Variants()
    uses: dict[str, Counter[int]] = {}
    for tool in tools:
        found = {
            (name, key)
            for definitions in _bundles(tool)
            for name, key in variants.of(definitions).items()
            if _is_movable(definitions[name])
        }
        for name, key in found:
            uses.setdefault(name, Counter())[key] += 1
    chosen: dict[str, int] = {}
    for name, counts in uses.items():
        (key, most), *_ = counts.most_common(1)
        if most >= 2 or name in known:
            chosen[name] = key
    # what a moved definition refers to must be moved in the same variant
    moved: dict[str, Any] = {}
    for tool in tools:
        for definitions in _bundles(tool):
            for name, key in variants.of(definitions).items():
                if chosen.get(name) == key and name not in moved:
                    closure = variants.closure(definitions, name)
                    if all(chosen.get(each) == variants.of(definitions)[each] for each in closure):
                        moved[name] = definitions[name]
    chosen = {name: key for name, key in chosen.items() if name in moved}
    return SharedComponents(
        [_referring(tool, file, chosen, variants) for tool in tools], dict(sorted(moved.items()))
    )


def _is_movable(definition: Any) -> bool:
    """True if a definition refers only to others by name: in another file, `#` would mean that file."""
    return all(
        keyword == "$ref" and node[keyword].startswith("#/$defs/")
        for _, node in subschemas(definition)
        for keyword in ALL_REFERENCES
        if isinstance(node.get(keyword), str)
    )


def _bundles(tool: ImportedTool) -> Iterator[Definitions]:
    for field in _FIELDS:
        definitions = tool.fields.get(field, {}).get("$defs")
        if isinstance(definitions, dict):
            yield definitions


def _referring(tool: ImportedTool, file: str, chosen: Mapping[str, int], variants: _Variants) -> ImportedTool:
    """Return the tool with references to `file` in place of the definitions that are there."""
    fields = dict(tool.fields)
    for field in _FIELDS:
        schema = fields.get(field, {})
        if not isinstance(schema.get("$defs"), dict):
            continue
        own = variants.of(schema["$defs"])
        shared = {name for name in own if chosen.get(name) == own[name]}
        left = {name: each for name, each in schema["$defs"].items() if name not in shared}
        schema = {key: value for key, value in {**schema, "$defs": left}.items() if key != "$defs" or left}
        fields[field] = replace_refs(
            schema,
            {
                path: f"{file}#{format_pointer(('$defs', name))}"
                for path, node in subschemas(schema)
                for name in referenced_names({"$ref": node.get("$ref")})
                if name in shared
            },
        )
    return replace(tool, fields=fields)


class _Variants:
    """Tells variants of definitions apart: by their text, and by that of all that they refer to."""

    def __init__(self) -> None:
        self._texts: dict[int, tuple[int, tuple[str, ...]]] = {}  # id of a definition → its text, references
        self._numbers: dict[Any, int] = {}
        self._found: dict[int, dict[str, int]] = {}  # id of a bundle → name → variant

    def of(self, definitions: Definitions) -> dict[str, int]:
        """Return the variant of each definition in a bundle."""
        found = self._found.get(id(definitions))
        if found is None:
            found = self._found[id(definitions)] = {
                name: self._number(
                    frozenset(
                        (each, self._text(definitions[each])[0]) for each in self.closure(definitions, name)
                    )
                )
                for name in definitions
            }
        return found

    def closure(self, definitions: Definitions, name: str) -> list[str]:
        """Return the definitions that one refers to, directly or not, itself first."""
        names = {name: None}
        waiting = [name]
        for each in waiting:  # grows
            for other in self._text(definitions[each])[1]:
                if other in definitions and other not in names:
                    names[other] = None
                    waiting.append(other)
        return waiting

    def _text(self, definition: Any) -> tuple[int, tuple[str, ...]]:
        found = self._texts.get(id(definition))
        if found is None:
            names = tuple(dict.fromkeys(referenced_names(definition)))
            found = self._texts[id(definition)] = (self._number(json.dumps(definition)), names)
        return found

    def _number(self, value: Any) -> int:
        return self._numbers.setdefault(value, len(self._numbers))
