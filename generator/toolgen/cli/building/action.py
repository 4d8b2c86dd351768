"""One action of a build system: declared files in, declared files out, and nothing else read or written.

No configuration, no cache but the one that is named, no version control, no network, no PATH.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from toolgen.data.diagnostic import Diagnostic

_SPEC_ONLY = (
    "include_root",
    "piece",
    "package",
    "implementations",
    "shown_as",
    "target",
    "no_coerce",
    "server_name",
    "server_version",
    "server_instructions",
    "cache",
)
_COMMON = ("out", "templates", "depfile")


def arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of the hermetic mode, a group of their own."""
    group = parser.add_argument_group(
        "for build systems",
        "One action: --spec generates the files of one tool and a piece, --index all others. "
        "Only what is named here is read or written; see docs/build-systems.md.",
    )
    which = group.add_mutually_exclusive_group()
    which.add_argument("--spec", metavar="FILE", help="generate the files of this spec")
    which.add_argument(
        "--index",
        metavar="PIECE",
        nargs="+",
        help="generate what all specs share; @FILE: one PIECE per line",
    )
    group.add_argument("--out", metavar="DIR", help="the folder of the generated package")
    group.add_argument("--piece", metavar="FILE", help="where to write the piece for --index")
    group.add_argument("--depfile", metavar="FILE", help="write a dependency file for Make or Ninja")
    group.add_argument("--include-root", metavar="DIR", help="the specs folder: `$ref`s never leave it")
    group.add_argument(
        "--shown-as", metavar="DIR", help="the name of that folder in file headers (default: specs)"
    )
    group.add_argument("--target", metavar="NAME", action="append", help="a target (default: all built-in)")
    group.add_argument("--templates", metavar="DIR", help="a folder with further templates")
    group.add_argument("--package", metavar="NAME", help="the package's import name (default: generated)")
    group.add_argument("--implementations", metavar="NAME", help="the package with the implementations")
    group.add_argument("--no-coerce", action="store_true", default=None, help="like coerce = false")
    group.add_argument("--server-name", metavar="NAME", help="like [server] name")
    group.add_argument("--server-version", metavar="VERSION", help="like [server] version")
    group.add_argument("--server-instructions", metavar="TEXT", help="like [server] instructions")
    group.add_argument("--cache", metavar="DIR", help="a cache to use (default: none)")


def asked(args: argparse.Namespace) -> bool:
    """Whether this is an action; `UnableError` for its flags where it is none, or for what it lacks."""
    needed = ("include_root", "out", "piece") if args.spec else ("out",) if args.index else ()
    missing = [_flag(name) for name in needed if getattr(args, name) is None]
    if missing:
        _refuse(f"{'--spec' if args.spec else '--index'} needs {' and '.join(missing)}")
    foreign = () if args.spec else _SPEC_ONLY if args.index else (*_SPEC_ONLY, *_COMMON)
    given = [_flag(name) for name in foreign if getattr(args, name) is not None]
    if given and args.index:
        _refuse(f"{given[0]} goes with --spec; the pieces know what they were made with")
    if given:
        _refuse(f"{given[0]} goes with --spec or --index; a project says it in its configuration")
    if (args.spec or args.index) and args.start != ".":
        _refuse("-C is for projects; paths of an action are relative to where it runs")
    if (args.spec or args.index) and args.watch:
        _refuse("--watch is for projects; a build system knows what changed")
    return bool(args.spec or args.index)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _refuse(message: str) -> NoReturn:
    from toolgen.project import UnableError

    raise UnableError("usage", message, "see `toolgen generate --help`")


@dataclass(frozen=True, slots=True)
class _Made:
    tree: Mapping[str, str]  # below --out
    earlier: Container[str]  # files of that folder that an earlier run says it wrote
    read: Sequence[str]  # files, as they were named
    beside: Mapping[str, str]  # further files, path → text
    warnings: Sequence[Diagnostic] = ()


def run(args: argparse.Namespace) -> bool:
    """Make what was asked for and say nothing of it, warnings excepted."""
    from toolgen.cli import diagnostics
    from toolgen.cli.output import emit_json
    from toolgen.data.bug import TemplateBug
    from toolgen.project import UnableError
    from toolgen.project.declared_files import dependencies, files_below, write_declared
    from toolgen.report.json import as_data

    args.texts = {}  # what faults are shown in
    try:
        made = _spec(args) if args.spec else _index(args)
    except TemplateBug as error:
        if args.templates is None:
            raise
        raise UnableError("bad-template", str(error), f"look at the templates in {args.templates}") from error
    ours = {os.path.join(args.out, path): text for path, text in made.tree.items()}
    files = {**ours, **made.beside}
    read = [*made.read, *(files_below(args.templates) if args.templates else ())]
    if args.depfile:
        files[args.depfile] = dependencies(files, read)
    write_declared(
        files, {os.path.join(args.out, path) for path in made.tree if path not in made.earlier}, read
    )
    if args.format == "json":
        emit_json({"written": sorted(ours), "warnings": as_data(made.warnings)})
    elif made.warnings:
        diagnostics.show(made.warnings, args.start, as_json=False, texts=args.texts)
    return True


def _spec(args: argparse.Namespace) -> _Made:
    from toolgen.cli.building.options import cache_of, settings_of, targets_of
    from toolgen.cli.building.project_build import manifest_of
    from toolgen.pipeline import compile_specs
    from toolgen.project.declared_files import path_below, read_closure
    from toolgen.project.pieces import Piece, files_of_piece, piece_text

    settings, targets = settings_of(args), targets_of(args.target, args.templates)
    path = path_below(args.spec, args.include_root)
    closure = read_closure(path, args.include_root)
    texts = closure.texts
    for name, text in texts.items():
        args.texts[f"{settings.specs}/{name}"] = text.decode("utf-8", "replace")
    compiled = compile_specs(texts, targets, settings, cache_of(args.cache), needs_tools=False)[path]
    manifest = manifest_of(settings, targets, texts, compiled.files)
    piece = Piece(settings, tuple(target.name for target in targets), manifest, path, compiled)
    return _Made(
        compiled.files,
        files_of_piece(args.piece),
        closure.read,
        {args.piece: piece_text(piece)},
        compiled.warnings,
    )


def _index(args: argparse.Namespace) -> _Made:
    from toolgen.cli.building.options import targets_of
    from toolgen.cli.building.project_build import manifest_of
    from toolgen.pipeline import link
    from toolgen.project.manifest import NAME, manifest_text
    from toolgen.project.pieces import files_of_manifest, merged_manifest, read_pieces, refuse_differing

    pieces = read_pieces(args.index)
    first = next(iter(pieces.values()))
    targets = targets_of(first.targets, args.templates)
    refuse_differing(pieces, manifest_of(first.settings, targets, {}, {}))
    compiled = {piece.spec_path: piece.compiled for piece in pieces.values()}
    sources = [spec.source for spec in compiled.values() if spec.source]
    args.texts.update({source.file: source.text for source in sources})
    package = link(compiled, targets, first.settings, {})
    manifest = merged_manifest(pieces.values(), manifest_of(first.settings, targets, {}, package.index))
    earlier = {NAME, *files_of_manifest(os.path.join(args.out, NAME))}
    read = [*pieces, *(word[1:] for word in args.index if word.startswith("@"))]
    return _Made(
        {**package.index, NAME: manifest_text(manifest)}, earlier, read, {}, package.request_warnings
    )
