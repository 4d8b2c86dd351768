"""Create a spec for every operation of an OpenAPI document (3.0, 3.1, 3.2).

SOURCE is the document, in JSON or YAML, also gzipped: a file, a URL, or - for stdin. A PATTERN matches an
operationId, a path, 'GET /path' or a tag; * matches any text.
"""

from __future__ import annotations

import argparse
import posixpath
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgen.cli.importing import common
from toolgen.cli.output import count, say, show_status
from toolgen.data.diagnostic import SpecErrors
from toolgen.files import Folder, IrregularFileError, OutsideError, OversizedFileError
from toolgen.importers.imported_tool import SourceError
from toolgen.project import PYPROJECT, Project, UnableError, find_project, kind_of, parse_toml, read_text
from toolgen.schema.limits import BUDGET

if TYPE_CHECKING:
    from toolgen.data.package import Package
    from toolgen.importers.imported_tool import ImportedTool
    from toolgen.importers.openapi.environment import SecretDestination
    from toolgen.importers.openapi.specs import ImportOptions

_QUIET_SECONDS = 1.0  # before progress is shown on a terminal
_LOG_INTERVAL = 200  # operations between two lines of progress in a log


def arguments(parser: argparse.ArgumentParser) -> None:
    common.add_arguments(parser, "a file, a URL, or - for stdin")
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
        help="prefix of this API's environment variables (default: the project's name)",
    )
    parser.add_argument(
        "--allow-variable",
        action="append",
        default=[],
        metavar="NAME",
        help="allow an environment variable that holds another service's credential, or that is already "
        "sent to another host; repeat for more",
    )
    parser.add_argument(
        "--implement",
        action="store_true",
        help="also write a module for each tool that calls the API (needs toolgen[http])",
    )


def run(args: argparse.Namespace) -> bool:
    from toolgen.importers.openapi.environment import check_prefix
    from toolgen.importers.openapi.parse import parse_document
    from toolgen.importers.openapi.specs import OWNED, import_openapi

    implementations = _implementations(args) if args.implement else None
    is_url = args.source.startswith(("http://", "https://"))
    with common.source_errors():
        prefix = check_prefix(args.env_prefix) if args.env_prefix else ""
        source = _fetch(args.source) if is_url else common.read_source(args)
        document = parse_document(source.data, source.name)
    if isinstance(document, dict) and document.get("webhooks") and not document.get("paths"):
        say("the document has only webhooks, which the API calls; there are no operations to import")
    has_files = not is_url and args.source != "-"
    load = _load_beside(Path(args.start, args.source)) if has_files else _refuse_files

    def convert(context: common.ImportContext) -> list[ImportedTool]:
        tools = import_openapi(
            document,
            source.name,
            load,
            options=_import_options(args, prefix, context),
            existing=context.names,
            on_progress=_ProgressReporter().report,
        )
        _check_secrets(tools, context, args.allow_variable)
        return tools

    return common.write_imported_specs(args, convert, OWNED, implementations=implementations)


def _import_options(args: argparse.Namespace, prefix: str, context: common.ImportContext) -> ImportOptions:
    from toolgen.importers.openapi.environment import default_prefix, earlier_stem
    from toolgen.importers.openapi.specs import ImportOptions

    stem = ""
    if args.sync and not prefix:  # deployments have set the variables of the last import
        imported = (spec.data for spec in context.specs.imported().values())
        stem = earlier_stem([data for data in imported if isinstance(data, dict)])
    prefix = prefix or default_prefix(_project_name(context.destination))
    return ImportOptions(args.include, args.exclude, args.per, prefix, stem, args.allow_variable)


def _check_secrets(
    tools: Sequence[ImportedTool], context: common.ImportContext, allowed: Sequence[str]
) -> None:
    """Print where each secret is sent. Raises `SourceError` if one would be sent to a second host."""
    from toolgen.importers.openapi.environment import refuse_new_hosts, secret_destinations

    existing: list[Mapping[str, Any]] = [
        spec.data for spec in context.specs.sources if isinstance(spec.data, dict)
    ]
    new = secret_destinations([tool.fields for tool in tools])
    for line in _disclosure(new):
        say(line)
    refuse_new_hosts(new, secret_destinations(existing), allowed)


def _disclosure(secrets: Sequence[SecretDestination]) -> Iterator[str]:
    """Yield one line for every variable that tools send, and where to."""
    for each in secrets:
        if each.host:
            yield f"  secret {each.variable}: sent to {each.host}, or to the URL in {each.base_url}"
        else:
            yield f"  secret {each.variable}: sent to the URL in {each.base_url}"
        if each.host.startswith("http://"):
            yield f"  {each.host} is not encrypted: others on the network can read {each.variable}"


def _project_name(destination: common.Destination) -> str:
    """Return the project's name: that of its pyproject.toml, else that of its folder."""
    root = destination.project.root if destination.project else destination.base.parent
    try:
        found = parse_toml(PYPROJECT, read_text(root, PYPROJECT) or "").get("project")
    except (SpecErrors, UnableError):
        found = None
    name = found.get("name") if isinstance(found, dict) else None
    return name if isinstance(name, str) and name else root.name


class _ProgressReporter:
    """Prints progress of a long import: one line that changes on a terminal, some lines in a log."""

    def __init__(self) -> None:
        self._quiet_until = time.monotonic() + _QUIET_SECONDS
        self._is_terminal = sys.stderr.isatty()
        self._reported = False

    def report(self, done: int, total: int) -> None:
        """Report that `done` of `total` operations are parsed."""
        if done == total:
            if self._reported and self._is_terminal:
                show_status()
            if self._reported or total > _LOG_INTERVAL:
                say(f"{count(total, 'operation')} read; compiling the tools")
        elif self._is_terminal and time.monotonic() > self._quiet_until:
            self._reported = True
            show_status(f"reading operations: {done} of {total}")
        elif not self._is_terminal and done % _LOG_INTERVAL == 0:
            say(f"reading operations: {done} of {total}")


def _fetch(url: str) -> common.SourceContent:
    """Return the document at `url`. Raises `SourceError`."""
    try:
        import httpx2  # noqa: F401
    except ModuleNotFoundError as error:
        raise UnableError(
            "not-installed", "reading a URL needs httpx2", "pip install 'toolgen[http]', or give a file"
        ) from error
    from toolgen.cli.importing.bounded_http import display_url, fetch

    return common.SourceContent(fetch(url), display_url(url))


def _refuse_files(path: str) -> Any:
    raise SourceError(
        f"the document refers to the file {path}, which can be read only if the document is a file too",
        "save both in one folder, or bundle the document (`npx @redocly/cli bundle`)",
    )


def _load_beside(document: Path) -> Callable[[str], Any]:
    """Return a loader of files below the document's folder; it follows no link out of it."""
    from toolgen.importers.openapi.parse import parse_document

    folder = document.resolve().parent

    def load(path: str) -> Any:
        shown = posixpath.join(document.parent.as_posix(), path)
        try:
            with Folder(folder) as opened:
                data = opened.read(path, limit=BUDGET.import_bytes)
        except OutsideError:
            raise SourceError(
                f"{shown} is a link to a file outside the document's folder", "copy the file there"
            ) from None
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, IrregularFileError):
            message = f"there is no file {shown}, which the document refers to"
            raise SourceError(message, "is the document complete?") from None
        except OversizedFileError:
            message = f"{shown} has more than {BUDGET.import_bytes // 1024 // 1024} MB"
            raise SourceError(message, "import a part of it", "too-complex") from None
        except OSError as error:
            raise SourceError(f"cannot read {shown}: {error.strerror}") from None
        except ValueError as error:  # a null byte in the path
            raise SourceError(f"cannot read {shown!r}: {error}") from None
        return parse_document(data, shown)

    return load


def _implementations(args: argparse.Namespace) -> common.Implementations:
    """Return the modules of `--implement` for tools that have no implementation yet."""
    from toolgen.cli.scaffolding.files import PACKAGE, http_text, missing_packages

    if not find_project(Path(args.start)).implementations:
        raise UnableError(
            "usage",
            "there is no package to implement tools in",
            'name one in the configuration: implementations = "tools"',
        )

    def modules(project: Project, package: Package) -> dict[str, str]:
        files = dict.fromkeys(missing_packages(project), PACKAGE)
        for tool in package.tools:
            path = f"{project.path_of(f'{project.implementations}.{tool.py_name}')}.py"
            if "x-openapi" in tool.definition and kind_of(project.root, path) is None:
                files[path] = http_text(project.package, tool)
        return files

    return modules
