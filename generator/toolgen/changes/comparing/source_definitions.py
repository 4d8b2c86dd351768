"""Read the definitions of tools that a SOURCE names: specs, a file of definitions, a server.

Definitions in the format of a provider are compared with what the project publishes to it today.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from toolgen.base.suggestions import quoted
from toolgen.changes.comparing.against import STDIN, OnDisk
from toolgen.changes.comparing.definitions import (
    ExportedSide,
    analysed_definitions,
    listed_definitions,
    read_export,
)
from toolgen.changes.contract import REQUEST, RESPONSE, Contract, contracts_of
from toolgen.project import UnableError, load_targets
from toolgen.project.building.exports import tools_of_format
from toolgen.project.building.project_build import Inputs, package_of, program_of
from toolgen.project.building.spec_source import SpecSource, find_specs
from toolgen.project.inputs.specs import SUFFIXES
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.sources.exported_tools import read_exported
from toolgen.sources.json_source import JsonDocument
from toolgen.sources.loading.source_content import read_file, source_errors
from toolgen.sources.mcp_client.client import ServerAddress
from toolgen.sources.mcp_client.connection import list_tools
from toolgen.sources.mcp_client.source_argument import (
    ServerSource,
    is_missing_path,
    read_source,
)

_SPEC_SUFFIXES: Final = (".yaml", ".yml")
_EXPECTED: Final = (
    "give a folder of specs, a file that `toolgen export` printed, a URL, or a command that starts a server"
)


def find_source(source: str, start: str) -> SpecSource | OnDisk | ServerSource:
    """Return what `source` names, for a command that was started in `start`.

    A project or a folder in it, a folder of specs or one spec; a file, - for stdin; the URL of an MCP server,
    or a command that starts one. Raises `UnableError`.
    """
    if not source.strip() or (source.startswith("-") and source != STDIN):
        raise UnableError("bad-source", f"{quoted(source)} names no source", _EXPECTED)
    if source == STDIN:
        return OnDisk(Path(STDIN), "stdin")
    found = read_source(source, start)
    if isinstance(found, Path):
        if found.is_dir() or found.name.endswith(_SPEC_SUFFIXES):
            return find_specs(found)
        return OnDisk(found, source)
    if found.is_command and not found.text.strip():
        raise UnableError("bad-source", "the command is empty", _EXPECTED)
    if found.is_command and is_missing_path(source, start):
        raise UnableError("bad-source", f"there is no file or folder {quoted(found.text)}", _EXPECTED)
    return found


def read_source_definitions(source: str, start: str) -> list[ToolDefinition]:
    """Return the definitions of the tools that `source` names, as `find_source` reads it.

    A file has definitions in any format that `toolgen export` has. Raises `UnableError`, and `SpecErrors`
    with every fault.
    """
    found = find_source(source, start)
    return _of_specs(found) if isinstance(found, SpecSource) else [*_listed(read_definitions(found))]


def _of_specs(found: SpecSource) -> list[ToolDefinition]:
    inputs = Inputs(found.project, found.texts(), load_targets(found.project))
    tools = package_of(program_of(inputs), inputs).tools
    return [cast("ToolDefinition", tool.definition) for tool in tools]


def _listed(side: ExportedSide) -> Iterator[ToolDefinition]:
    """Yield the definitions of a file or of a server, with schemas that have been checked."""
    described = {tool.name: tool.fields for tool in side.tools}
    for name, contract in sorted(analysed_definitions(side).contracts.items()):
        yield _definition(contract, described[name])


def _definition(contract: Contract, fields: Mapping[str, Any]) -> ToolDefinition:
    spec = contract.spec
    schemas = {
        key: contract.documents[key].schema for key in (REQUEST, RESPONSE) if key in contract.documents
    }
    dumped = spec.model_dump(
        mode="json", include={"errors", "confirm"} & spec.model_fields_set, exclude_unset=True
    )
    made = {"name": spec.name, "description": str(fields.get("description") or ""), **schemas, **dumped}
    return cast("ToolDefinition", {key: value for key, value in made.items() if value is not None})


def read_definitions(found: OnDisk | ServerSource) -> ExportedSide:
    """Return the definitions in a file, or of a running server. Raises `UnableError`."""
    if isinstance(found, ServerSource):
        address = ServerAddress.of(found)
        with source_errors():
            return listed_definitions(list_tools(address), address.shown)
    if found.path.name.endswith(SUFFIXES):
        message = f"{found.shown} is one spec, and a comparison needs all of them"
        raise UnableError("bad-source", message, "give the folder of the specs")
    content = read_file(found.path, found.shown)
    return read_export(content.data, content.name)


def own_definitions(inputs: Inputs, exported: ExportedSide) -> ExportedSide:
    """Return what the project publishes today in the format of the other side."""
    name = exported.tools[0].format.name
    found = tools_of_format(inputs, name)
    program = found.program
    value = json.loads(json.dumps(found.document))  # as JSON has it: tuples are lists
    with source_errors():
        tools = read_exported([JsonDocument(value, 0)], f"the project's own tools for {name}")
    contracts = contracts_of(program)
    published = {each.published[found.target].name: each.spec.name for each in program.tools}
    places = {tool.name: contracts[published[tool.name]].places for tool in tools}
    specs = {tool.name: contracts[published[tool.name]].spec for tool in tools}
    texts = {f"{inputs.project.specs}/{path}": text for path, text in inputs.specs.items()}
    return ExportedSide("", tools, places, specs, texts)
