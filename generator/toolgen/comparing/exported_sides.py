"""Compare with definitions in the format of a provider: a file that `toolgen export` printed, or a server.

Both sides are compared as this format has them, with what the project publishes to that provider today.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from toolgen.building.exports import tools_of_format
from toolgen.building.project_build import Inputs, package_of, program_of
from toolgen.comparing.against import STDIN, OnDisk
from toolgen.compat.contract import Contract, ContractPlaces, Side, by_name, contracts_of
from toolgen.compile.reading.read import read
from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.source import Source, Span
from toolgen.data.spec import Spec
from toolgen.files import Folder, IrregularFileError, open_named
from toolgen.importers.exported_tools import (
    DEFINITIONS,
    ExportedTool,
    read_definition,
    read_exported,
    read_generated_definitions,
)
from toolgen.importers.json_source import JsonDocument, read_json_documents
from toolgen.importing.source_content import SourceContent, read_bounded, source_errors
from toolgen.mcp_client.source_argument import ServerSource
from toolgen.pipeline import analyze
from toolgen.project import UnableError, reason
from toolgen.project.inputs.specs import SUFFIXES
from toolgen.runtime.definition.check import is_valid_field
from toolgen.runtime.definition.description import deprecation_notice
from toolgen.schema.document import JsonPath

_MAX_MARKED = 4 * 1024 * 1024  # characters of a file in which places are found, at the price of parsing YAML
_SCHEMAS = ("input_schema", "output_schema")
_NOTICE: Final = re.compile(
    r"Deprecated(?: since [\w.+-]{1,64})?(?:; use [\w-]{1,64} instead)?\."
    r"(?: Stops working after \d{4}-\d{2}-\d{2}\.)?\n",
    re.ASCII,
)
"""The notice that begins a deprecated tool's description; it matches nothing that could be a change."""


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
    tools: Sequence[ExportedTool]
    places: Mapping[str, ContractPlaces]  # by the published name
    specs: Mapping[str, Spec]  # the same: of the project's own side
    texts: Mapping[str, bytes | str]

    @property
    def by_name(self) -> dict[str, ExportedTool]:
        """Return the definitions by published name."""
        return {tool.name: tool for tool in self.tools}


def read_definitions(found: OnDisk | ServerSource) -> ExportedSide:
    """Return the definitions in a file, or of a running server. Raises `UnableError`."""
    content = _server_content(found) if isinstance(found, ServerSource) else _file_content(found)
    return _read_content(content, content.data.decode("utf-8-sig") if isinstance(found, OnDisk) else "")


def listed_definitions(listed: Sequence[Mapping[str, Any]], name: str) -> ExportedSide:
    """Return the definitions that a server has listed; messages call it `name`. Raises `UnableError`."""
    # the same limits for a server's answer as for a file
    return _read_content(SourceContent(json.dumps({"tools": listed}).encode(), name), "")


def read_export(data: bytes, name: str) -> ExportedSide:
    """Return the definitions in a document in UTF-8; messages call it `name`. Raises `UnableError`."""
    return _read_content(SourceContent(data, name), data.decode("utf-8-sig"))


def _read_content(content: SourceContent, text: str) -> ExportedSide:
    """Return the definitions in a document; `text` is it, if places in it can be shown."""
    with source_errors():
        documents = read_json_documents(content.data, content.name)
        tools = read_exported(documents, content.name)
    sources = _sources(content.name, text, documents)
    places = {tool.name: ExportedPlaces(sources.get(tool.line), content.name, tool) for tool in tools}
    return ExportedSide(content.name, tools, places, {}, {content.name: text})


def read_generated(found: OnDisk) -> ExportedSide:
    """Return the definitions in the folder of a generated package. Raises `UnableError`."""
    texts: dict[str, bytes] = {}
    try:
        with Folder(found.path) as folder:
            for entry in folder.entries("definitions"):
                if entry.name.endswith(".py") and entry.name != "__init__.py":
                    texts[f"{found.shown.rstrip('/')}/{entry.path}"] = folder.read(entry.path, links=False)
    except OSError as error:
        raise UnableError("bad-source", f"cannot read {error.filename}: {reason(error)}") from error
    with source_errors():
        tools = read_generated_definitions(
            {file: read_definition(text, file) for file, text in texts.items()}
        )
    if not tools:
        raise UnableError("bad-source", f"there are no definitions of tools in {found.shown}")
    files = dict(zip((tool.name for tool in tools), texts, strict=True))
    places = {tool.name: ExportedPlaces(None, files[tool.name], tool) for tool in tools}
    return ExportedSide(found.shown, tools, places, {}, texts)


def own_definitions(inputs: Inputs, exported: ExportedSide) -> ExportedSide:
    """Return what the project publishes today in the format of the other side."""
    name = exported.tools[0].format.name
    if name == DEFINITIONS.name:
        return _as_generated(inputs)
    found = tools_of_format(inputs, name)
    program = found.program
    value = json.loads(json.dumps(found.document))  # as JSON has it: tuples are lists
    with source_errors():
        tools = read_exported([JsonDocument(value, 0)], f"the project's own tools for {name}")
    contracts = contracts_of(program)
    published = {each.published[found.target].name: each.spec.name for each in program.tools}
    places = {tool.name: contracts[published[tool.name]].places for tool in tools}
    specs = {tool.name: contracts[published[tool.name]].spec for tool in tools}
    return ExportedSide("", tools, places, specs, _texts(inputs))


def _as_generated(inputs: Inputs) -> ExportedSide:
    """Return the definitions that would be generated."""
    program = program_of(inputs)
    contracts = contracts_of(program)
    # as JSON has it, and as the modules have it: tuples are lists
    tools_of_package = package_of(program, inputs).tools
    data = json.loads(json.dumps({tool.wire_name: tool.definition for tool in tools_of_package}))
    tools = read_generated_definitions(data)
    places = {name: each.places for name, each in contracts.items()}
    specs = {name: each.spec for name, each in contracts.items()}
    return ExportedSide("", tools, places, specs, _texts(inputs))


def _texts(inputs: Inputs) -> dict[str, bytes]:
    return {f"{inputs.project.specs}/{path}": text for path, text in inputs.specs.items()}


def compare_definitions(old: ExportedSide, new: ExportedSide) -> tuple[Side, Side]:
    """Return the tools of both sides whose definitions differ. Raises `SpecErrors`."""
    old, new = _without_notices(old, new), _without_notices(new, old)
    before, after = old.by_name, new.by_name
    same = {
        name
        for name in before.keys() & after.keys()
        if json.dumps(before[name].fields) == json.dumps(after[name].fields)
        and not (before[name].repairs or after[name].repairs)
    }
    return _side(old, same), _side(new, same)


def _without_notices(side: ExportedSide, other: ExportedSide) -> ExportedSide:
    """Return the side with descriptions as their authors wrote them, without a notice of deprecation.

    The message of a notice is only removed if it is the project's own. A server's is a text for models like
    any other: if it is new, the description has changed.
    """
    return replace(side, tools=[_without_notice(tool, side, other) for tool in side.tools])


def _without_notice(tool: ExportedTool, *sides: ExportedSide) -> ExportedTool:
    specs = [each.specs[tool.name] for each in sides if tool.name in each.specs]
    deprecated = [spec.deprecated.model_dump(exclude_none=True) for spec in specs if spec.deprecated]
    notices = [deprecation_notice(each).partition("\n") for each in deprecated]
    description: str = tool.fields.get("description", "")
    found = _NOTICE.match(description)
    ends = [len(line) + 1 for line, _, _ in notices if description.startswith(f"{line}\n")]
    ends += [] if found is None else [found.end()]
    if not ends:
        return tool
    # Both may match, and the project's own notice may be longer than the pattern knows.
    description = description[max(ends) :]
    for _, _, message in notices:
        description = description.removeprefix(f"{message}\n") if message else description
    return replace(tool, fields={**tool.fields, "description": description.removeprefix("\n")})


def _file_content(found: OnDisk) -> SourceContent:
    if str(found.path) == STDIN:
        return SourceContent(read_bounded(sys.stdin.buffer), "stdin")
    if found.path.name.endswith(SUFFIXES):
        message = f"{found.shown} is one spec, and a comparison needs all of them"
        raise UnableError("bad-source", message, "give the folder of the specs")
    try:
        with open_named(found.path) as file:
            return SourceContent(read_bounded(file), found.shown)
    except (IrregularFileError, IsADirectoryError) as error:
        raise UnableError("bad-source", f"{found.shown} is neither a file nor a folder") from error
    except OSError as error:
        raise UnableError("bad-source", f"cannot read {found.shown}: {reason(error)}") from error


def _server_content(found: ServerSource) -> SourceContent:
    from toolgen.mcp_client.client import list_tools

    with source_errors():
        listed = list_tools(found.text, is_command=found.is_command)
    return SourceContent(json.dumps({"tools": listed}).encode(), found.text)


def _sources(name: str, text: str, documents: Sequence[JsonDocument]) -> dict[int, Source]:
    """Return what knows the places in each document, by the line of the document."""
    if not text or len(text) > _MAX_MARKED:
        return {}
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
    texts = {path: json.dumps(_spec_fields(tool, path)) for path, tool in tools.items()}
    try:
        program = analyze(texts, ())
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
        contracts.append(Contract(spec, analysed.documents, places, tool.format.knows, repairs=repairs))
    return Side(side.label, by_name(contracts), side.texts)


def _spec_fields(tool: ExportedTool, path: str) -> dict[str, Any]:
    """Return a spec with the fields of a definition that the language can have."""
    fields = {
        key: value for key, value in tool.fields.items() if key in _SCHEMAS or is_valid_field(key, value)
    }
    return {
        **fields,
        "name": f"tool_{path.removesuffix('.json')}",
        "description": tool.fields.get("description") or tool.name,
    }


def _at_definition(fault: Diagnostic, side: ExportedSide, tool: ExportedTool) -> Diagnostic:
    """Return the fault at the tool's definition."""
    message = f"{tool.name}: {fault.message}"
    return Diagnostic(side.places[tool.name].key(("name",)), fault.code, message, fault.hint)
