"""OpenAPI documents: their files, shared schemas, the names of their environment variables."""

from __future__ import annotations

import os
import posixpath
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from toolgen.base.files import Folder
from toolgen.language.identifiers import snake
from toolgen.language.source import Source
from toolgen.project import PYPROJECT, UnableError, read_text, reason
from toolgen.project.inputs.configuration import project_metadata
from toolgen.schema.budget import BUDGET
from toolgen.sources.imported_tool import ImportedTool, ImportedTools, SourceError
from toolgen.sources.loading.imported_specs import Destination, ImportContext, project_of
from toolgen.sources.loading.source_content import SourceContent
from toolgen.sources.openapi.components import share_components
from toolgen.sources.openapi.document import LoadFile
from toolgen.sources.openapi.environment import default_prefix, earlier_stem
from toolgen.sources.openapi.parse import parse_document
from toolgen.sources.openapi.specs import ImportOptions

_MAX_STEM: Final = 50  # characters of the name of a shared file


def with_project(options: ImportOptions, context: ImportContext, *, sync: bool) -> ImportOptions:
    """Return options with what the project says, and what a sync keeps of earlier specs."""
    imported = context.specs.imported().items() if sync else ()
    earlier = {key: spec.data for key, spec in imported if isinstance(spec.data, dict)}
    # deployments have set the variables of the last import
    stem = "" if options.prefix else earlier_stem([*earlier.values()])
    project = project_of(context.destination)
    return replace(
        options,
        prefix=options.prefix or default_prefix(_project_name(context.destination)),
        stem=stem,
        usual_answers=project.import_answers,
        earlier=earlier,
    )


def with_shared_components(
    tools: list[ImportedTool], document: Any, context: ImportContext, *, sync: bool
) -> ImportedTools:
    """Return tools whose common schemas are in a shared file; specs of a sync that have none keep theirs."""
    info = document.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    stem = snake(str(title or ""), "api")[:_MAX_STEM]
    specs = context.specs
    file = f"schemas/{stem}.yaml"
    if sync and specs.imported():
        known = specs.shared_definitions(file)
        if known is None:
            return ImportedTools(tools)
    else:
        known = {}
        number = 2
        while specs.shared_path(file) in specs.sources:
            file, number = f"schemas/{stem}_{number}.yaml", number + 1
    found = share_components(tools, file, known)
    return ImportedTools(found.tools, file, found.definitions)


def _project_name(destination: Destination) -> str:
    """Return the project's name: that of its pyproject.toml, else that of its folder."""
    root = destination.project.root if destination.project else destination.base.parent
    name = project_metadata(read_text(root, PYPROJECT)).get("name")
    return name if isinstance(name, str) and name else root.name


def fetch_document(url: str) -> SourceContent:
    """Return the document at `url`. Raises `SourceError`."""
    try:
        from toolgen.sources.mcp_client.bounded_http import display_url, fetch  # of the extra `http`
    except ModuleNotFoundError as error:
        raise UnableError(
            "not-installed", "reading a URL needs httpx2", "pip install 'toolgen[http]', or give a file"
        ) from error
    return SourceContent(fetch(url), display_url(url))


def refuse_files(path: str) -> Source:
    raise SourceError(
        f"the document refers to the file {path}, which can be read only if the document is a file too",
        "save both in one folder, or bundle the document (`npx @redocly/cli bundle`)",
    )


def load_beside(document: Path, shown: str) -> LoadFile:
    """Return a loader of files beside `document`, which messages call `shown`; it follows no link out."""
    folder = Path(os.path.realpath(document)).parent  # `resolve` raises for a circle of links

    def load(path: str) -> Source:
        name = posixpath.join(posixpath.dirname(shown), path)
        try:
            data = Folder(folder).read(path, limit=BUDGET.import_bytes)
        except (OSError, ValueError) as error:  # ValueError: a null byte in the path
            why = reason(error) if isinstance(error, OSError) else str(error)
            message = f"cannot read {name}, which the document refers to: {why}"
            raise SourceError(message, "is the document complete, in one folder?") from None
        return parse_document(data, name)

    return load
