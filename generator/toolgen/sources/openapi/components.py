"""Move components that several tools use from the specs into one file of shared schemas."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolgen.schema.document import format_pointer, replace_refs, subschemas
from toolgen.schema.keywords import ALL_REFERENCES
from toolgen.sources.imported_tool import ImportedTool
from toolgen.sources.openapi.schemas import referenced_names

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

    Requests leave out other properties than responses, and a response that is too long is cut off, so a
    definition may have several texts. The one that saves most is moved. A tool refers to it if all that it
    leads to is in the file word for word; if not, the tool keeps its own, of which generated code prints
    what is in the file only once. `known` are definitions that the file has already: one tool is enough.
    """
    texts = _Texts()
    uses: dict[str, Counter[str]] = {}
    definitions: dict[str, Any] = {}  # by text
    for tool in tools:
        found = {
            (name, texts.of(definition)): definition
            for bundle in _bundles(tool)
            for name, definition in bundle.items()
            if _is_movable(definition)
        }
        for (name, text), definition in found.items():
            uses.setdefault(name, Counter())[text] += 1
            definitions[text] = definition
    chosen: dict[str, str] = {}
    for name, counts in uses.items():
        saved = {text: number * len(text) for text, number in counts.items() if number > 1 or name in known}
        if saved:
            chosen[name] = max(saved, key=saved.__getitem__)
    # what a moved definition refers to must be there, too
    while missing := [
        name for name, text in chosen.items() if not chosen.keys() >= {*texts.names(definitions[text])}
    ]:
        chosen = {name: text for name, text in chosen.items() if name not in missing}
    moved = {name: definitions[text] for name, text in sorted(chosen.items())}
    return SharedComponents([_referring(tool, file, chosen, texts) for tool in tools], moved)


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


def _referring(tool: ImportedTool, file: str, chosen: Mapping[str, str], texts: _Texts) -> ImportedTool:
    """Return the tool with references to `file` in place of the definitions that are there."""
    fields = dict(tool.fields)
    for field in _FIELDS:
        schema = fields.get(field, {})
        if not isinstance(schema.get("$defs"), dict):
            continue
        shared = _as_in_file(schema["$defs"], chosen, texts)
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


def _as_in_file(definitions: Definitions, chosen: Mapping[str, str], texts: _Texts) -> set[str]:
    """Return the names of definitions that are in the file word for word, with all that they lead to."""
    found = {name for name, each in definitions.items() if chosen.get(name) == texts.of(each)}
    while others := {name for name in found if not found.issuperset(texts.names(definitions[name]))}:
        found -= others
    return found


class _Texts:
    """Definitions as text, and the names that they refer to; each is written once."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Any, str, tuple[str, ...]]] = {}  # by id

    def of(self, definition: Any) -> str:
        """Return a definition as JSON."""
        return self._measured(definition)[1]

    def names(self, definition: Any) -> tuple[str, ...]:
        """Return the names of the definitions that one refers to."""
        return self._measured(definition)[2]

    def _measured(self, definition: Any) -> tuple[Any, str, tuple[str, ...]]:
        found = self._found.get(id(definition))
        if found is None:
            names = tuple(dict.fromkeys(referenced_names(definition)))
            # with the definition itself, so that no other gets its id
            found = self._found[id(definition)] = (definition, json.dumps(definition), names)
        return found
