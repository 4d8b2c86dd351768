"""Write a spec for every operation of an HTTP API that an OpenAPI document (3.0, 3.1, 3.2) describes.

SOURCE is a file with the document, JSON or YAML, gzipped or not; its URL; or - for stdin. A PATTERN matches
an operationId, a path, 'GET /path' or a tag; * in it stands for anything.
"""

from __future__ import annotations

import argparse
import posixpath
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgen.cli.importing.common import Beside, Place, add_arguments, bring_in, read_bytes, refusing
from toolgen.cli.output import count, say
from toolgen.importers.imported_tool import SourceError
from toolgen.project import PYPROJECT, Project, UnableError, find_project, read_text

if TYPE_CHECKING:
    from toolgen.data.package import Package
    from toolgen.importers.imported_tool import ImportedTool
    from toolgen.importers.names import ExistingNames
    from toolgen.importers.openapi.environment import SecretDestination
    from toolgen.importers.sync import ExistingSpecs

_PATIENCE = 1.0  # seconds that nobody minds
_EVERY = 200  # operations between two words to a log
_CLEAR = "\r\x1b[K"


def arguments(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, "a file, a URL, or - for stdin")
    parser.add_argument(
        "--include",
        action="append",
        default=[],
        metavar="PATTERN",
        help="only these operations; repeat for more",
    )
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="PATTERN",
        help="not these operations; repeat for more",
    )
    parser.add_argument(
        "--per",
        choices=("operation", "tag"),
        default="operation",
        help="what becomes a tool (default: operation)",
    )
    parser.add_argument(
        "--env-prefix",
        metavar="NAME",
        help="what environment variables of this API begin with (default: the project's name)",
    )
    parser.add_argument(
        "--allow-variable",
        action="append",
        default=[],
        metavar="NAME",
        help="send this variable to the API although it is known as somebody else's credential, or is sent "
        "to another host already; repeat for more",
    )
    parser.add_argument(
        "--implement",
        action="store_true",
        help="write what calls the API, too: a module for each tool (it needs toolgen[http])",
    )


def run(args: argparse.Namespace) -> bool:
    from toolgen.importers.openapi.environment import (
        check_prefix,
        default_prefix,
        earlier_stem,
        refuse_new_hosts,
        secret_destinations,
    )
    from toolgen.importers.openapi.parse import parse_document
    from toolgen.importers.openapi.specs import OWNED, ImportOptions, import_openapi

    beside = _implementations(args) if args.implement else None
    is_url = args.source.startswith(("http://", "https://"))
    with refusing():
        prefix = check_prefix(args.env_prefix) if args.env_prefix else ""
        data, name = _fetched(args.source) if is_url else read_bytes(args)
        document = parse_document(data, name)
    if isinstance(document, dict) and document.get("webhooks") and not document.get("paths"):
        say("the document has webhooks only: what the API calls, and nothing that can be called")
    load = _none_beside if is_url or args.source == "-" else _files_beside(Path(args.start, args.source))
    there: list[Mapping[str, Any]] = []
    stem = ""

    def look(place: Place, earlier: ExistingSpecs) -> None:
        nonlocal prefix, stem
        there.extend(source.data for source in earlier.sources if isinstance(source.data, dict))
        if args.sync and not prefix:  # a deployment has set the variables of the last import
            imported = (source.data for source in earlier.imported().values())
            stem = earlier_stem([data for data in imported if isinstance(data, dict)])
        prefix = prefix or default_prefix(_project_name(place))

    def make(names: ExistingNames) -> list[ImportedTool]:
        options = ImportOptions(args.include, args.exclude, args.per, prefix, stem, args.allow_variable)
        tools = import_openapi(
            document, name, load, options=options, existing=names, on_progress=_Teller().tell
        )
        secrets = secret_destinations([tool.fields for tool in tools])
        for line in _disclosed(secrets):
            say(line)
        refuse_new_hosts(secrets, secret_destinations(there), args.allow_variable)
        return tools

    return bring_in(args, make, OWNED, beside, look)


def _disclosed(secrets: Sequence[SecretDestination]) -> Iterator[str]:
    """Every variable that tools send, and where to."""
    for each in secrets:
        if each.host:
            yield f"  secret {each.variable}: sent to {each.host}, or where {each.base_url} says"
        else:
            yield f"  secret {each.variable}: sent where {each.base_url} says"
        if each.host.startswith("http://"):
            yield f"  {each.host} is not encrypted: everybody on the way can read {each.variable}"


def _project_name(place: Place) -> str:
    """Return the project's name: that of its pyproject.toml, else that of its folder."""
    root = place.project.root if place.project else place.base.parent
    try:
        found = tomllib.loads(read_text(root, PYPROJECT) or "").get("project")
    except (tomllib.TOMLDecodeError, UnableError):
        found = None
    name = found.get("name") if isinstance(found, dict) else None
    return name if isinstance(name, str) and name else root.name


class _Teller:
    """Says how far the import is, once it takes longer than nobody minds."""

    def __init__(self) -> None:
        self._after = time.monotonic() + _PATIENCE
        self._live = sys.stderr.isatty()
        self._spoke = False

    def tell(self, done: int, total: int) -> None:
        """`done` of `total` operations are read."""
        if done == total:
            if self._spoke and self._live:
                say(_CLEAR, end="")
            if self._spoke or total > _EVERY:
                say(f"{count(total, 'tool')} read; trying them")
        elif self._live and time.monotonic() > self._after:
            self._spoke = True
            say(f"{_CLEAR}reading operations: {done} of {total}", end="")
        elif not self._live and done % _EVERY == 0:
            say(f"reading operations: {done} of {total}")


def _fetched(url: str) -> tuple[bytes, str]:
    """The document at `url`. Raises `SourceError`."""
    from toolgen.cli.importing.fetch import fetch, shown

    return fetch(url), shown(url)


def _none_beside(path: str) -> Any:
    raise SourceError(
        f"the document refers to the file {path}, and only a document in a file has files beside it",
        "save both in one folder, or bundle the document (`npx @redocly/cli bundle`)",
    )


def _files_beside(document: Path) -> Callable[[str], Any]:
    """Reads files below the document's folder, and no link that leads out of it."""
    from toolgen.importers.openapi.parse import parse_document

    folder = document.resolve().parent

    def load(path: str) -> Any:
        file = (folder / path).resolve()
        shown = posixpath.join(document.parent.as_posix(), path)
        if not file.is_relative_to(folder):
            raise SourceError(
                f"{shown} is a link to a file outside the document's folder", "copy the file there"
            )
        if not file.is_file():
            raise SourceError(f"there is no file {shown}, which the document refers to", "is it all there?")
        try:
            data = file.read_bytes()
        except OSError as error:
            raise SourceError(f"cannot read {shown}: {error.strerror}") from None
        return parse_document(data, shown)

    return load


def _implementations(args: argparse.Namespace) -> Beside:
    """What writes the modules of `--implement`, for tools whose module is not there."""
    from toolgen.cli.scaffolding.files import PACKAGE, http_text, missing_packages

    if not find_project(Path(args.start)).implementations:
        raise UnableError(
            "usage",
            "there is no package to implement tools in",
            'name one in the configuration: implementations = "tools"',
        )

    def write(project: Project, model: Package) -> dict[str, str]:
        files = dict.fromkeys(missing_packages(project), PACKAGE)
        for tool in model.tools:
            path = project.folder_of(f"{project.implementations}.{tool.py_name}").with_suffix(".py")
            if not path.exists() and "x-openapi" in tool.definition:
                files[path.relative_to(project.root).as_posix()] = http_text(project.package, tool)
        return files

    return write
