"""Definitions of tools as two sides of a comparison: exported ones, or those that a server lists.

Needs nothing of the generator's dependencies, so that a gateway can compare, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from toolgen.base import MIB
from toolgen.changes.contract import Contract, ContractPlaces, Side, by_name
from toolgen.language.checking.check import check, lint
from toolgen.language.checking.resolve import resolve
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.program import Program
from toolgen.language.reading.parse import parse
from toolgen.language.source import Marks, Source, Span
from toolgen.language.spec import Spec
from toolgen.runtime.definition.check import is_valid_field
from toolgen.schema.document import JsonPath
from toolgen.sources.exported_tools import ExportedTool, read_exported
from toolgen.sources.json_source import JsonDocument, read_json_documents
from toolgen.sources.loading.source_content import source_errors

_MAX_MARKED = 4 * MIB  # characters of a file in which places are found, at the price of parsing YAML
_SCHEMAS = ("input_schema", "output_schema")


@dataclass(frozen=True, slots=True)
class ExportedPlaces:
    """The places of a definition in a file of exported tools."""

    source: Source | None  # None: a server, or a file too large to find places in
    label: str
    tool: ExportedTool

    def key(self, path: JsonPath) -> Span:
        """Return the place of the key at `path` of the spec, or of the nearest ancestor that is written."""
        if self.source is None:
            return self._whole()
        return self._moved(self.source.nearest_key(self._written(path)))

    def value(self, path: JsonPath) -> Span:
        """Return the place of the value at `path` of the spec, or of the nearest ancestor that is written."""
        return self._whole() if self.source is None else self._moved(self.source.value(self._written(path)))

    def shared(self, path: JsonPath) -> None:
        """Return None: a definition has copies of what is shared."""

    def _written(self, path: JsonPath) -> JsonPath:
        own = self.tool.places.get(str(path[0])) if path else None
        return self.tool.at if own is None else (*own, *path[1:])

    def _moved(self, span: Span) -> Span:
        return replace(span, line=span.line + max(self.tool.line - 1, 0))

    def _whole(self) -> Span:
        return Span(self.label, max(self.tool.line, 1), 1)


@dataclass(frozen=True, slots=True)
class ExportedSide:
    """The definitions of one side, not analysed."""

    label: str
    tools: Sequence[ExportedTool] = ()
    places: Mapping[str, ContractPlaces] = field(default_factory=dict)  # by the published name
    specs: Mapping[str, Spec] = field(default_factory=dict)  # the same: of the project's own side
    texts: Mapping[str, bytes | str] = field(default_factory=dict)

    @property
    def by_name(self) -> dict[str, ExportedTool]:
        """Return the definitions by published name."""
        return {tool.name: tool for tool in self.tools}


def listed_definitions(listed: Sequence[Mapping[str, Any]], name: str) -> ExportedSide:
    """Return the definitions that a server has listed; messages call it `name`. Raises `UnableError`."""
    # the same limits for a server's answer as for a file
    return _read(json.dumps({"tools": listed}).encode(), name, is_file=False)


def read_export(data: bytes, name: str) -> ExportedSide:
    """Return the definitions in a document in UTF-8; messages call it `name`. Raises `UnableError`."""
    return _read(data, name, is_file=True)


def _read(data: bytes, name: str, *, is_file: bool) -> ExportedSide:
    """Return the definitions in a document, with their places in it if it is a file."""
    with source_errors():
        documents = read_json_documents(data, name)
        tools = read_exported(documents, name)
    text = data.decode("utf-8-sig") if is_file else ""
    sources = _sources(name, text, documents)
    places = {tool.name: ExportedPlaces(sources.get(tool.line), name, tool) for tool in tools}
    return ExportedSide(name, tools, places, {}, {name: text})


def compare_definitions(old: ExportedSide, new: ExportedSide) -> tuple[Side, Side]:
    """Return the tools of both sides whose definitions differ. Raises `SpecErrors`."""
    before, after = old.by_name, new.by_name
    same = {
        name
        for name in before.keys() & after.keys()
        if json.dumps(before[name].fields) == json.dumps(after[name].fields)
        and not (before[name].repairs or after[name].repairs)
    }
    return _side(old, same), _side(new, same)


def analysed_definitions(side: ExportedSide) -> Side:
    """Return the tools of one side alone. Raises `SpecErrors`."""
    return _side(side, set())


def _sources(name: str, text: str, documents: Sequence[JsonDocument]) -> dict[int, Source]:
    """Return what knows the places in each document, by the line of the document."""
    if not text or len(text) > _MAX_MARKED:
        return {}
    from toolgen.language.reading.read import read  # needs a parser of YAML

    lines = text.split("\n")
    texts = {each.line: lines[each.line - 1] if each.line else text for each in documents}
    sources: dict[int, Source] = {}
    for line, own in texts.items():
        try:
            (source,) = read({name: own})  # its path is shown
        except SpecErrors:  # nested deeper than YAML is read
            continue
        sources[line] = source
    return sources


def _side(side: ExportedSide, left_out: set[str]) -> Side:
    tools = {f"{index}.json": tool for index, tool in enumerate(side.tools) if tool.name not in left_out}
    if not tools:
        return Side(side.label, {})
    try:
        program = _analyzed({path: _spec_fields(tool, path) for path, tool in tools.items()})
    except SpecErrors as errors:
        found = (_at_definition(each, side, tools[each.span.file]) for each in errors.diagnostics)
        raise SpecErrors(found, side.texts) from None
    contracts = []
    for analysed in program.tools:
        tool = tools[analysed.source.path]
        own = side.specs.get(tool.name)
        changes = {"name": tool.name, "aliases": own.aliases if own else analysed.spec.aliases}
        spec = analysed.spec.model_copy(update=changes)
        repairs = {key: notes[0] for key, notes in tool.repairs.items()}
        places = side.places[tool.name]
        contracts.append(Contract(spec, analysed.documents, places, tool.knows, repairs=repairs))
    return Side(side.label, by_name(contracts), side.texts)


def _analyzed(specs: Mapping[str, dict[str, Any]]) -> Program:
    """Return the tools of specs by path, which have no text. Raises `SpecErrors`."""
    nowhere = Marks({}, {})
    sources = (Source(path, "", fields, lambda: nowhere, path) for path, fields in sorted(specs.items()))
    bound = resolve(parse(tuple(sources)))
    check(bound)
    return lint(bound)


def _spec_fields(tool: ExportedTool, path: str) -> dict[str, Any]:
    """Return a spec with the fields of a definition that the language can have."""
    given = tool.fields.items()
    fields = {key: value for key, value in given if key in _SCHEMAS or is_valid_field(key, value)}
    description = tool.fields.get("description") or tool.name
    return {**fields, "name": f"tool_{path.removesuffix('.json')}", "description": description}


def _at_definition(fault: Diagnostic, side: ExportedSide, tool: ExportedTool) -> Diagnostic:
    """Return the fault at the tool's definition."""
    message = f"{tool.name}: {fault.message}"
    return Diagnostic(side.places[tool.name].key(("name",)), fault.code, message, fault.hint)
