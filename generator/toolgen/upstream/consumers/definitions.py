"""What a client is generated from: specs, exported definitions, or what a server lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from toolgen.base.suggestions import quoted
from toolgen.changes.comparing.lock import is_lock, read_lock
from toolgen.changes.comparing.source_definitions import find_source
from toolgen.language.package import PackageSettings
from toolgen.project import UnableError
from toolgen.project.building.spec_source import SpecSource
from toolgen.sources.definitions import unwrapped
from toolgen.sources.exported_tools import MCP, read_exported
from toolgen.sources.imported_tool import ImportedTools, LeftOut, SourceError
from toolgen.sources.json_source import read_json_documents
from toolgen.sources.loading.source_content import SourceContent, read_source, source_errors
from toolgen.sources.mcp import import_listed
from toolgen.sources.mcp_client.client import ServerAddress
from toolgen.sources.mcp_client.connection import list_server
from toolgen.sources.mcp_client.listing import Listing
from toolgen.sources.mcp_client.source_argument import ServerSource
from toolgen.sources.reimport import ExistingSpecs, plan_import
from toolgen.sources.spec_names import ExistingNames

_EXPORT: Final = "toolgen export mcp > tools.json"


@dataclass(frozen=True, slots=True)
class ClientDefinitions:
    """The tools of a client, as specs."""

    server: Listing  # without tools, if the definitions are a folder of specs
    specs: Mapping[str, str]  # path → text
    settings: PackageSettings = field(default_factory=PackageSettings)  # that the project of the specs has
    notes: Sequence[str] = ()  # for the user: tools whose names differ in Python
    is_folder: bool = False  # the specs were written by their author, and not made from a listing


def read_definitions(
    source: str, start: str, headers: Sequence[str] = (), *, needs_specs: bool = True
) -> ClientDefinitions:
    """Return what SOURCE on a command line has, for a command that was started in `start`.

    Without `needs_specs`, what a server lists is not turned into specs. Raises UnableError.
    """
    found = find_source(source, start)
    if isinstance(found, ServerSource):
        with source_errors():
            listing = list_server(ServerAddress.of(found, headers), "generating a client")
        if not needs_specs:
            return ClientDefinitions(listing, {})
        return definitions_of(listing, quoted(source))
    if headers:
        raise UnableError("usage", "--header is for servers, and SOURCE is a file or folder")
    if isinstance(found, SpecSource):
        return _of_specs(found)
    return _of_file(read_source(source, start))


def definitions_of(listing: Listing, shown: str) -> ClientDefinitions:
    """Return the definitions that a server lists; messages call it `shown`. Raises UnableError."""
    left_out = LeftOut()
    with source_errors():
        tools = import_listed(listing.tools, shown, ExistingNames(), left_out)
        if not tools:
            raise SourceError(f"{shown} has no tool that can be called: {left_out.messages()[0]}")
    plan = plan_import(ImportedTools(tools), ExistingSpecs("mcp", "", {}))
    return ClientDefinitions(listing, plan.files, notes=[*plan.notes, *left_out.messages()])


def _of_specs(found: SpecSource) -> ClientDefinitions:
    """Return specs, with the settings of their project."""
    project = found.project
    texts = {path: content.decode("utf-8", "surrogateescape") for path, content in found.texts().items()}
    name = (project.server_name or project.package) if found.is_configured else found.folder.name
    server = Listing(name, project.server_version or "", project.server_instructions or "", ())
    settings = PackageSettings(
        coerce=project.coerce,
        mcp_output_schema=project.mcp_output_schema,
        mcp_references=project.mcp_references,
    )
    return ClientDefinitions(server, texts, settings, is_folder=True)


def _of_file(content: SourceContent) -> ClientDefinitions:
    """Return the definitions in a file: a lock, or definitions as `toolgen export mcp` prints them."""
    with source_errors():
        if is_lock(content.data):
            return definitions_of(read_lock(content.data, content.name), content.name)
        documents = read_json_documents(content.data, content.name)
        found = read_exported(documents, content.name)
        if found[0].format is not MCP:
            message = f"{content.name} has definitions of {found[0].format.name}, and a client calls by MCP"
            raise SourceError(message, f"export those of MCP: {_EXPORT}")
        listed = [tool for each in documents for _, tool in unwrapped(each.value, each.place(content.name))]
    name = Path(content.name).name.partition(".")[0]
    return definitions_of(Listing(name, "", "", listed), content.name)
