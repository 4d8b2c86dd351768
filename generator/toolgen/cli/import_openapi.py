"""Write a spec for every operation of an HTTP API that an OpenAPI document (3.0, 3.1, 3.2) describes.

SOURCE is a file with the document, JSON or YAML, gzipped or not; its URL; or - for stdin. A PATTERN matches
an operationId, a path, 'GET /path' or a tag; * in it stands for anything.
"""

from __future__ import annotations

import argparse
import posixpath
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgen.cli.importing import Beside, add_arguments, bring_in, read_bytes, refusing
from toolgen.cli.out import count, say
from toolgen.disk import Project, UnableError, find_project
from toolgen.importers.tool import SourceError

if TYPE_CHECKING:
    from toolgen.data.model import Model

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
        "--implement",
        action="store_true",
        help="write what calls the API, too: a module for each tool (it needs toolgen[http])",
    )


def run(args: argparse.Namespace) -> bool:
    from toolgen.importers.openapi.api import OWNED, Wanted, import_openapi
    from toolgen.importers.openapi.text import read_document

    beside = _implementations(args) if args.implement else None
    is_url = args.source.startswith(("http://", "https://"))
    wanted = Wanted(args.include, args.exclude, args.per)
    with refusing():
        data, name = _fetched(args.source) if is_url else read_bytes(args)
        document = read_document(data, name)
    if isinstance(document, dict) and document.get("webhooks") and not document.get("paths"):
        say("the document has webhooks only: what the API calls, and nothing that can be called")
    load = _none_beside if is_url or args.source == "-" else _files_beside(Path(args.start, args.source))
    return bring_in(
        args, lambda names: import_openapi(document, name, load, wanted, names, _Teller().tell), OWNED, beside
    )


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
    from toolgen.cli.fetch import fetch

    return fetch(url), url


def _none_beside(path: str) -> Any:
    raise SourceError(
        f"the document refers to the file {path}, and only a document in a file has files beside it",
        "save both in one folder, or bundle the document (`npx @redocly/cli bundle`)",
    )


def _files_beside(document: Path) -> Callable[[str], Any]:
    """Reads files below the document's folder, and no link that leads out of it."""
    from toolgen.importers.openapi.text import read_document

    folder = document.resolve().parent

    def load(path: str) -> Any:
        file = (folder / path).resolve()
        shown = posixpath.join(document.parent.as_posix(), path)
        if not file.is_relative_to(folder):
            raise SourceError(f"{shown} leads out of the document's folder", "put the file itself there")
        if not file.is_file():
            raise SourceError(f"there is no file {shown}, which the document refers to", "is it all there?")
        try:
            data = file.read_bytes()
        except OSError as error:
            raise SourceError(f"cannot read {shown}: {error.strerror}") from None
        return read_document(data, shown)

    return load


def _implementations(args: argparse.Namespace) -> Beside:
    """What writes the modules of `--implement`, for tools whose module is not there."""
    from toolgen.cli.new import PACKAGE, missing_packages
    from toolgen.cli.starter import http_text

    if not find_project(Path(args.start)).implementations:
        raise UnableError(
            "usage",
            "there is no package to implement tools in",
            'name one in the configuration: implementations = "tools"',
        )

    def write(project: Project, model: Model) -> dict[str, str]:
        files = dict.fromkeys(missing_packages(project), PACKAGE)
        for tool in model.tools:
            path = project.folder_of(f"{project.implementations}.{tool.py_name}").with_suffix(".py")
            if not path.exists() and "x-openapi" in tool.definition:
                files[path.relative_to(project.root).as_posix()] = http_text(project.package, tool)
        return files

    return write
