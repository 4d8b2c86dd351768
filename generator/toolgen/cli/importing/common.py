"""From what an importer made to files below the specs folder: all or none, nothing replaced unasked."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toolgen.cli.output import count, emit, emit_json, say
from toolgen.cli.parser import add_format
from toolgen.project import (
    Project,
    UnableError,
    create_files,
    find_configuration,
    find_project,
    find_root,
    read_specs,
)
from toolgen.project.errors import reason

if TYPE_CHECKING:
    from toolgen.data.package import Package
    from toolgen.importers.imported_tool import ImportedTool
    from toolgen.importers.names import ExistingNames
    from toolgen.importers.sync import ExistingSpecs

_MAX_BYTES = 64 * 1024 * 1024 + 1
_SHOWN = 5  # paths that one message names


Beside = Callable[[Project, "Package"], dict[str, str]]
"""What to write beside the specs of these tools: path below the project → text. Never in place of a file."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the specs go."""

    base: Path  # the specs folder: what files are relative to
    below: str  # the folder of `--into` below it, with a slash behind, or nothing
    shown: str  # `base` as the user would type it, with a slash behind
    project: Project | None
    there: Mapping[str, bytes]  # specs that are there

    def is_projects(self) -> bool:
        """Whether the specs folder is that of a project."""
        return (
            self.project is not None
            and self.base.resolve() == (self.project.root / self.project.specs).resolve()
        )


def add_arguments(parser: argparse.ArgumentParser, source: str, *, several: bool = False) -> None:
    """What every kind of import takes; where it takes `several` sources, they are a list."""
    parser.add_argument("source", metavar="SOURCE", help=source, nargs="+" if several else None)
    parser.add_argument(
        "--into", metavar="DIR", help="the folder for the specs (default: the project's specs folder)"
    )
    parser.add_argument(
        "--sync",
        action="store_true",
        help="bring earlier imports up to date, keep what is written by hand; new tools get `enabled: false`",
    )
    add_format(parser)


@contextmanager
def refusing() -> Iterator[None]:
    """What an importer refuses, as a fault that the command line knows."""
    from toolgen.importers.imported_tool import SourceError

    try:
        yield
    except SourceError as error:
        raise UnableError(error.code, error.message, error.hint or "nothing was written") from error


def read_bytes(args: argparse.Namespace) -> tuple[bytes, str]:
    """What SOURCE holds, and what messages call it."""
    if args.source == "-":
        return sys.stdin.buffer.read(_MAX_BYTES), "stdin"
    path = Path(args.start, args.source)
    try:
        if path.exists() and not path.is_file():
            raise UnableError("bad-source", f"{args.source} is not a file", "give a file, or - for stdin")
        with path.open("rb") as file:
            return file.read(_MAX_BYTES), args.source
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise UnableError(
            "bad-source", f"cannot read {args.source}: {why}", "give a file, or - for stdin"
        ) from error


def bring_in(
    args: argparse.Namespace,
    make: Callable[[ExistingNames], list[ImportedTool]],
    owned: tuple[str, ...],
    beside: Beside | None = None,
    look: Callable[[Place, ExistingSpecs], None] = lambda place, earlier: None,
) -> bool:
    """Write the specs of what `make` imports, given the names that are decided; tell what was done.

    `owned` are the fields that `--sync` takes from the source; `look` sees what is there before `make` runs.
    """
    from toolgen.compile.read import read
    from toolgen.importers.sync import ExistingSpecs, plan_import, plan_sync

    place = _place(args)
    if beside is not None and not place.is_projects():
        raise UnableError(
            "usage",
            "only tools of the project's specs folder are implemented",
            "leave out --into, or --implement",
        )
    earlier = ExistingSpecs(args.kind, place.below, read(place.there, place.shown) if place.there else ())
    look(place, earlier)
    with refusing():
        tools = make(earlier.names(args.sync))
    made = plan_sync(tools, earlier, owned) if args.sync else plan_import(tools, earlier)
    if made.conflicts:
        raise UnableError("file-exists", _in_the_way(place, made.conflicts), _SYNC)
    model = _try(place, made.files)
    more = beside(place.project, model) if beside and model and place.project else {}
    _write(place, _with_schema(place, made.files), more, args.sync)
    start = Path(args.start).resolve()
    written = [place.shown + path for path in made.files]
    written += [_shown(place.project.root / path, start) for path in more if place.project]
    if args.format == "json":
        emit_json({"tools": len(tools), "written": written, "notes": list(made.notes)})
        return True
    for note in made.notes:
        say(f"  {note}")
    if written:
        emit("\n".join(written))
    say(f"{count(len(tools), 'tool')} in the source, {count(len(made.files), 'spec')} written")
    return True


def _write(place: Place, files: Mapping[str, str], more: Mapping[str, str], replace: bool) -> None:
    """The specs, and below the project what goes with them: all or none."""
    from toolgen.project.atomic_write import replace_files

    base = place.base
    if more and place.project is not None:
        base = place.project.root
        files = {**{_shown(place.base / path, base): text for path, text in files.items()}, **more}
    if replace:
        replace_files(base, files)
    else:
        create_files(base, files)


def _shown(path: Path, start: Path) -> str:
    return os.path.relpath(path, start).replace(os.sep, "/")


_SYNC = "nothing was written; --sync brings earlier imports up to date"


def _in_the_way(place: Place, paths: Sequence[str]) -> str:
    names = ", ".join(place.shown + path for path in paths[:_SHOWN])
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return f"{names}{more} exist{'s' if len(paths) == 1 else ''} already"


def _place(args: argparse.Namespace) -> Place:
    """Where `--into` is: in the specs folder of the project, or a folder of its own."""
    start = Path(args.start).resolve()
    project = find_project(start) if find_configuration_above(start) else None
    if args.into is None:
        if project is None:
            raise UnableError(
                "usage", "there is no project here, and no --into", "say where specs go: --into specs"
            )
        target = project.root / project.specs
    else:
        target = (start / args.into).resolve()
    if target.exists() and not target.is_dir():
        raise UnableError("cannot-write", f"{args.into} is not a folder", "give a folder for the specs")
    base = target
    if project is not None and target.is_relative_to(specs := (project.root / project.specs).resolve()):
        base = specs
    below = "" if target == base else f"{target.relative_to(base).as_posix()}/"
    shown = f"{_shown(base, start)}/".removeprefix("./")
    return Place(base, below, shown, project, _there(base))


def find_configuration_above(start: Path) -> bool:
    """Whether there is a project to import into."""
    return find_configuration(find_root(start)) is not None


def _there(base: Path) -> dict[str, bytes]:
    """The specs that are there; none is no fault."""
    if not base.is_dir():
        return {}
    try:
        return read_specs(Project(base.parent, "", "", specs=base.name))
    except UnableError:
        return {}


def _with_schema(place: Place, files: Mapping[str, str]) -> dict[str, str]:
    """`files`, and what an editor checks them with, where it is not there yet."""
    if not files or (place.base / ".toolgen.schema.json").exists():
        return dict(files)
    from toolgen.cli.scaffolding.files import schema_file

    name, text = schema_file()
    return {**files, name: text}


def _try(place: Place, files: Mapping[str, str]) -> Package | None:
    """Specs that would not compile are not written: what is imported must generate. The tools, if any."""
    from toolgen.compile.lower import lower
    from toolgen.data.package import PackageSettings
    from toolgen.pipeline import analyze
    from toolgen.project import load_targets

    texts = {path: text.encode() for path, text in files.items()}
    if not texts:
        return None
    project = place.project or Project(place.base.parent, "", "")
    return lower(analyze({**_shared(place), **texts}, load_targets(project), place.shown), PackageSettings())


def _shared(place: Place) -> dict[str, bytes]:
    """Files of shared schemas, which a synced spec may use."""
    from toolgen.compile.read import read
    from toolgen.data.spec import is_shared_file

    sources = read(place.there) if place.there else ()
    return {source.path: place.there[source.path] for source in sources if is_shared_file(source.data)}
