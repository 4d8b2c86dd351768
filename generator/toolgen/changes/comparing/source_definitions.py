"""Read the definitions of tools that a SOURCE names: specs, a file of definitions, a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from toolgen.base.suggestions import quoted
from toolgen.changes.comparing.against import STDIN, OnDisk
from toolgen.changes.comparing.definitions import ExportedSide, analysed_definitions
from toolgen.changes.comparing.exported_sides import read_definitions
from toolgen.changes.contract import REQUEST, RESPONSE, Contract
from toolgen.project import UnableError, load_targets
from toolgen.project.building.project_build import Inputs, package_of, program_of
from toolgen.project.building.spec_source import SpecSource, find_specs
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.sources.mcp_client.source_argument import (
    CommandWords,
    ServerSource,
    exists,
    looks_like_a_path,
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
    is_given = isinstance(source, CommandWords) or exists(Path(start, source))
    if found.is_command and not is_given and looks_like_a_path(found.text):
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
