"""Compare with definitions in the format of a provider: a file that `toolgen export` printed, or a server.

Both sides are compared as this format has them, with what the project publishes to that provider today.
"""

from __future__ import annotations

import json

from toolgen.changes.comparing.against import OnDisk
from toolgen.changes.comparing.definitions import ExportedSide, listed_definitions, read_export
from toolgen.changes.contract import contracts_of
from toolgen.project import UnableError
from toolgen.project.building.exports import tools_of_format
from toolgen.project.building.project_build import Inputs
from toolgen.project.inputs.specs import SUFFIXES
from toolgen.sources.exported_tools import read_exported
from toolgen.sources.json_source import JsonDocument
from toolgen.sources.loading.source_content import read_file, source_errors
from toolgen.sources.mcp_client.client import ServerAddress
from toolgen.sources.mcp_client.connection import list_tools
from toolgen.sources.mcp_client.source_argument import ServerSource


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
