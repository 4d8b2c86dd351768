"""Steps that all imports share: arguments, bounded reading, and writing all specs or none."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from toolgen.cli.output import count, emit, emit_json, say
from toolgen.cli.parser import add_format
from toolgen.files import FileKind, IrregularFileError, open_named
from toolgen.project import (
    Project,
    UnableError,
    create_files,
    find_configuration,
    find_project,
    find_root,
    kind_of,
    locate,
    read_specs,
)
from toolgen.project.errors import reason
from toolgen.project.files.reading import RootedPath

if TYPE_CHECKING:
    from toolgen.data.package import Package
    from toolgen.data.program import Program
    from toolgen.importers.imported_tool import ImportedTool
    from toolgen.importers.names import ExistingNames
    from toolgen.importers.reimport import ExistingSpecs, ImportPlan

TIME_LIMIT = 60.0  # seconds for a source to answer: a URL, a command (which may be installed first), a module
_MESSAGE_BYTES = 1024  # of a budget, for each message of a server
_MAX_LISTED = 5  # paths in one message
_SMALLER = "nothing was written; import the source without this tool, or with a shorter schema"
_NOT_WRITTEN = "nothing was written; --sync brings earlier imports up to date"

Implementations = Callable[[Project, "Package"], dict[str, str]]
"""Returns path below the project → text, for implementations that do not exist yet."""


class ByteBudget:
    """The bytes that a source may still send. `renew` gives it all of them again."""

    def __init__(self, name: str, size: int) -> None:
        self.name = name  # of the source, in messages
        self._size = self.left = size

    @property
    def excess(self) -> str:
        """Return that the source has sent too much, for messages; empty if it has not."""
        megabytes = self._size // 1024 // 1024
        return f"{self.name}: more than {megabytes} MB, or too many messages" if self.left < 0 else ""

    def spend(self, size: int, messages: int = 0) -> None:
        """Count bytes, and messages as `_MESSAGE_BYTES` each. Raises SourceError if they are too many.

        The SDK answers each request of a server in a task of its own, which takes more memory than that.
        """
        self.left -= size + messages * _MESSAGE_BYTES
        if self.excess:
            from toolgen.importers.imported_tool import SourceError

            raise SourceError(self.excess, "import a part of it", "too-complex")

    def renew(self) -> None:
        """Begin to count anew, for the next answer."""
        self.left = self._size


@dataclass(frozen=True, slots=True)
class SourceContent:
    """The bytes of a source, and its name in messages."""

    data: bytes
    name: str


@dataclass(frozen=True, slots=True)
class Destination:
    """The folder for the specs of an import."""

    place: RootedPath  # the specs folder; paths of files are relative to it
    folder: str  # the folder of `--into` below it, with a trailing slash, or empty
    shown: str  # the specs folder relative to the user's folder, with a trailing slash
    project: Project | None
    existing: Mapping[str, bytes]  # existing specs by path

    @property
    def base(self) -> Path:
        """Return the path of the specs folder."""
        return self.place.root / self.place.path

    def is_specs_folder(self) -> bool:
        """True if this is the specs folder of the project."""
        return self.project is not None and self.place == RootedPath(self.project.root, self.project.specs)


@dataclass(frozen=True, slots=True)
class ImportContext:
    """The specs and files that exist before an import."""

    destination: Destination
    specs: ExistingSpecs
    names: ExistingNames


Convert = Callable[[ImportContext], "list[ImportedTool]"]


def add_arguments(parser: argparse.ArgumentParser, source: str, *, several: bool = False) -> None:
    """Add the arguments of every import; with `several`, SOURCE may be repeated."""
    parser.add_argument("source", metavar="SOURCE", help=source, nargs="+" if several else None)
    parser.add_argument(
        "--into", metavar="DIR", help="the folder for the specs (default: the project's specs folder)"
    )
    parser.add_argument(
        "--sync",
        action="store_true",
        help="update earlier imports and keep manual changes; new tools get `enabled: false`",
    )
    add_format(parser)


@contextmanager
def source_errors() -> Iterator[None]:
    """Turn a `SourceError` of an importer into an error that the command line reports."""
    from toolgen.importers.imported_tool import SourceError

    try:
        yield
    except SourceError as error:
        raise UnableError(error.code, error.message, error.hint or "nothing was written") from error


def read_bounded(file: BinaryIO) -> bytes:
    """Return the content of `file`, at most one byte more than an import may have: importers refuse that."""
    from toolgen.schema.limits import BUDGET

    return file.read(BUDGET.import_bytes + 1)


def read_source(args: argparse.Namespace) -> SourceContent:
    """Read SOURCE: a file, or stdin for `-`."""
    if args.source == "-":
        return SourceContent(read_bounded(sys.stdin.buffer), "stdin")
    try:
        with open_named(Path(args.start, args.source)) as file:
            return SourceContent(read_bounded(file), args.source)
    except (IrregularFileError, IsADirectoryError) as error:
        raise UnableError(
            "bad-source", f"{args.source} is not a file", "give a file, or - for stdin"
        ) from error
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise UnableError(
            "bad-source", f"cannot read {args.source}: {why}", "give a file, or - for stdin"
        ) from error


def write_imported_specs(
    args: argparse.Namespace,
    convert: Convert,
    owned: tuple[str, ...],
    *,
    implementations: Implementations | None = None,
) -> bool:
    """Convert the tools of a source, write their specs and report what was done.

    Args:
        args: the parsed command line.
        convert: returns the tools; may raise `SourceError`.
        owned: the spec fields that `--sync` takes from the source.
        implementations: returns the implementations to write as well.

    Raises:
        UnableError: an existing file would be replaced, or an imported spec does not compile.
    """
    from toolgen.compile.printing.lower import lower
    from toolgen.compile.reading.read import read
    from toolgen.data.package import PackageSettings
    from toolgen.importers.reimport import ExistingSpecs, plan_import, plan_sync

    destination = _find_destination(args)
    if implementations is not None and not destination.is_specs_folder():
        raise UnableError(
            "usage",
            "--implement works only for tools in the project's specs folder",
            "leave out --into, or --implement",
        )
    sources = read(destination.existing, destination.shown) if destination.existing else ()
    specs = ExistingSpecs(args.kind, destination.folder, sources)
    with source_errors():
        tools = convert(ImportContext(destination, specs, specs.names(args.sync)))
    plan = plan_sync(tools, specs, owned) if args.sync else plan_import(tools, specs)
    if plan.conflicts:
        raise UnableError("file-exists", _list_conflicts(destination, plan.conflicts), _NOT_WRITTEN)
    program = _analyzed(destination, plan.files)
    package = None if program is None else lower(program, PackageSettings())  # finds further faults
    modules: dict[str, str] = {}
    if implementations is not None and package is not None and destination.project is not None:
        modules = implementations(destination.project, package)
    _write(destination, _with_editor_schema(destination, plan.files), modules, replace=args.sync)
    start = Path(args.start).resolve()
    written = [destination.shown + path for path in plan.files]
    written += [_relative(destination.project.root / path, start) for path in modules if destination.project]
    not_tested = _not_tested(program)
    if args.format == "json":
        emit_json(
            {"tools": len(tools), "written": written, "notes": list(plan.notes), "not_tested": not_tested}
        )
    else:
        _print_report(len(tools), plan, written, not_tested)
    return True


def _print_report(tools: int, plan: ImportPlan, written: Sequence[str], not_tested: Sequence[str]) -> None:
    """Print the notes of an import, the files and the numbers of tools and specs."""
    for note in plan.notes:
        say(f"  {note}")
    if written:
        emit(*written)
    say(f"{count(tools, 'tool')} in the source, {count(len(plan.files), 'spec')} written")
    if not_tested:
        say(_describe_not_tested(not_tested))


def _not_tested(program: Program | None) -> list[str]:
    """Return the names of tools that `toolgen test` does not call without data that is made for tests."""
    from toolgen.testing.tool_under_test import tool_under_test

    tools = () if program is None else program.tools
    return [tool.spec.name for tool in tools if not tool_under_test(tool).is_harmless]


def _describe_not_tested(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    they = "it" if len(names) == 1 else "they"
    return (
        f"`toolgen test` does not call {count(len(names), 'tool')}: {they} may change or destroy something "
        f"({', '.join(names[:_MAX_LISTED])}{more}); `toolgen test` says what to do"
    )


def _write(
    destination: Destination, files: Mapping[str, str], modules: Mapping[str, str], *, replace: bool
) -> None:
    """Write the specs, and modules below the project: all or none."""
    from toolgen.project.files.atomic_write import replace_files

    place = destination.place
    files = {**{place.with_name(path): text for path, text in files.items()}, **modules}
    if replace:
        replace_files(place.root, files)
    else:
        create_files(place.root, files)


def _relative(path: Path, start: Path) -> str:
    return os.path.relpath(path, start).replace(os.sep, "/")


def _list_conflicts(destination: Destination, paths: Sequence[str]) -> str:
    names = ", ".join(destination.shown + path for path in paths[:_MAX_LISTED])
    more = f" and {len(paths) - _MAX_LISTED} more" if len(paths) > _MAX_LISTED else ""
    return f"{names}{more} exist{'s' if len(paths) == 1 else ''} already"


def _find_destination(args: argparse.Namespace) -> Destination:
    """Return the folder of `--into`, inside the specs folder of the project or elsewhere."""
    start = Path(args.start).resolve()
    project = find_project(start) if find_configuration(find_root(start)) is not None else None
    if args.into is None:
        if project is None:
            raise UnableError(
                "usage", "there is no project here, and no --into", "say where specs go: --into specs"
            )
        place, folder = RootedPath(project.root, project.specs), ""
    else:
        place, folder = _place_of(args.into, start, project)
    shown = f"{_relative(place.root / place.path, start)}/".removeprefix("./")
    return Destination(place, folder, shown, project, _existing_specs(place))


def _place_of(into: str, start: Path, project: Project | None) -> tuple[RootedPath, str]:
    """Return the folder of specs that `--into` is in, and the folder below it with a trailing slash."""
    place = locate(start if project is None else project.root, start, into)
    if project is not None:
        specs = project.root / project.specs
        inner = locate(specs, start, into)
        if inner.root == specs:
            return RootedPath(project.root, project.specs), f"{inner.path}/" if inner.path else ""
    if kind_of(place.root, place.path, links=True) not in (None, FileKind.FOLDER):
        raise UnableError("cannot-write", f"{into} is not a folder", "give a folder for the specs")
    return place, ""


def _existing_specs(place: RootedPath) -> dict[str, bytes]:
    """Return the specs in a folder; it may be missing or empty."""
    try:
        return read_specs(Project(place.root, "", "", specs=place.path or "."))
    except UnableError as error:
        if error.code != "no-specs":
            raise
        return {}


def _with_editor_schema(destination: Destination, files: Mapping[str, str]) -> dict[str, str]:
    """Return `files` and the schema that editors check specs with, unless it exists."""
    from toolgen.cli.scaffolding.files import schema_file

    name, text = schema_file()
    place = destination.place
    if not files or kind_of(place.root, place.with_name(name)) is not None:
        return dict(files)
    return {**files, name: text}


def _analyzed(destination: Destination, files: Mapping[str, str]) -> Program | None:
    """Return the tools of `files`, so that nothing is written that `generate` would refuse."""
    from toolgen.pipeline import analyze
    from toolgen.project import load_targets
    from toolgen.project.inputs.specs import too_large
    from toolgen.schema.limits import BUDGET

    texts = {path: text.encode() for path, text in files.items()}
    if not texts:
        return None
    for path, text in texts.items():
        if len(text) > BUDGET.spec_bytes:
            raise UnableError(
                "too-complex", f"{destination.shown}{path} would be {too_large(len(text))}", _SMALLER
            )
    project = destination.project or Project(destination.base.parent, "", "")
    specs = {**_shared_schemas(destination), **texts}
    return analyze(specs, load_targets(project), destination.shown)


def _shared_schemas(destination: Destination) -> dict[str, bytes]:
    """Return the files of shared schemas, which an updated spec may use."""
    from toolgen.compile.reading.read import read
    from toolgen.data.spec import is_shared_file

    sources = read(destination.existing) if destination.existing else ()
    return {
        source.path: destination.existing[source.path] for source in sources if is_shared_file(source.data)
    }
