"""`generate --spec` and `--index`: one action of a build system.

An action reads and writes declared files only: it uses no configuration, no version control, no network and
no PATH, and no cache except the one that `--cache` names.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
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
    """Add the flags of build actions to `parser`, as a group."""
    group = parser.add_argument_group(
        "for build systems",
        "--spec generates the files of one tool and a piece; --index reads all pieces and generates the "
        "files that tools share. Only files named here are read or written; see docs/build-systems.md.",
    )
    mode = group.add_mutually_exclusive_group()
    mode.add_argument("--spec", metavar="FILE", help="generate the files of this spec")
    mode.add_argument(
        "--index",
        metavar="PIECE",
        nargs="+",
        help="generate the files that all specs share; @FILE: a list, one PIECE per line",
    )
    group.add_argument("--out", metavar="DIR", help="folder of the generated package")
    group.add_argument("--piece", metavar="FILE", help="the file to write for --index")
    group.add_argument("--depfile", metavar="FILE", help="write a dependency file for Make or Ninja")
    group.add_argument("--include-root", metavar="DIR", help="the specs folder; a `$ref` cannot leave it")
    group.add_argument(
        "--shown-as", metavar="DIR", help="name of the specs folder in file headers (default: specs)"
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


def is_build_action(args: argparse.Namespace) -> bool:
    """True if `args` has `--spec` or `--index`. Raises `UnableError` for missing or contradicting flags."""
    required = ("include_root", "out", "piece") if args.spec else ("out",) if args.index else ()
    missing = [_flag(name) for name in required if getattr(args, name) is None]
    if missing:
        _refuse(f"{'--spec' if args.spec else '--index'} needs {' and '.join(missing)}")
    excluded = () if args.spec else _SPEC_ONLY if args.index else (*_SPEC_ONLY, *_COMMON)
    given = [_flag(name) for name in excluded if getattr(args, name) is not None]
    if given and args.index:
        _refuse(f"{given[0]} goes with --spec; each piece records its own options")
    if given:
        _refuse(f"{given[0]} goes with --spec or --index; in a project, set it in the configuration")
    if (args.spec or args.index) and args.start != ".":
        _refuse("-C is for projects; with --spec or --index, paths are relative to the working directory")
    if (args.spec or args.index) and args.watch:
        _refuse("--watch is for projects; a build system detects changes itself")
    return bool(args.spec or args.index)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _refuse(message: str) -> NoReturn:
    from toolgen.project import UnableError

    raise UnableError("usage", message, "see `toolgen generate --help`")


@dataclass(frozen=True, slots=True)
class _ActionResult:
    """The files that an action writes, and the inputs that it read."""

    generated: Mapping[str, str]  # path below --out → text
    written_before: Container[str]  # paths below --out that an earlier run of this action wrote
    inputs: Sequence[str]  # as the command line names them
    other_files: Mapping[str, str] = field(default_factory=dict)  # path → text
    warnings: Sequence[Diagnostic] = ()


def run(args: argparse.Namespace) -> bool:
    """Run the action. Only warnings and `--format json` print anything."""
    from toolgen.cli import diagnostics
    from toolgen.cli.output import emit_json
    from toolgen.data.internal_error import TemplateBug
    from toolgen.project import UnableError
    from toolgen.project.build_actions.declared_files import dependencies, files_below, write_declared
    from toolgen.report.json import as_data

    args.texts = {}  # file → text, for diagnostics that show a source line; also read by the error handler
    try:
        result = _compile_spec(args) if args.spec else _link_index(args)
    except TemplateBug as error:
        if args.templates is None:
            raise
        raise UnableError("bad-template", str(error), f"look at the templates in {args.templates}") from error
    generated = [os.path.join(args.out, path) for path in result.generated]
    others = dict(result.other_files)
    inputs = [*result.inputs, *(files_below(args.templates) if args.templates else ())]
    if args.depfile:
        others[args.depfile] = dependencies((*generated, *others), inputs)
    write_declared(args.out, result.generated, others, own=result.written_before, inputs=inputs)
    if args.format == "json":
        emit_json({"written": sorted(generated), "warnings": as_data(result.warnings)})
    elif result.warnings:
        diagnostics.show(result.warnings, args.start, as_json=False, texts=args.texts)
    return True


def _compile_spec(args: argparse.Namespace) -> _ActionResult:
    """Return the files of one tool, and its piece."""
    from toolgen.cli.building.options import cache_of, settings_of, targets_of
    from toolgen.cli.building.project_build import manifest_of
    from toolgen.compile.output_changes import digest
    from toolgen.pipeline import compile_specs
    from toolgen.project.build_actions.declared_files import path_below, read_closure
    from toolgen.project.build_actions.pieces import Piece, files_of_piece, piece_text

    settings, targets = settings_of(args), targets_of(args.target, args.templates)
    path = path_below(args.spec, args.include_root)
    closure = read_closure(path, args.include_root)
    texts = closure.texts
    for name, text in texts.items():
        args.texts[f"{settings.specs}/{name}"] = text.decode("utf-8", "replace")
    cache = cache_of(args.cache)
    compiled = compile_specs(texts, targets, settings, cache, needs_tools=False, wanted=[path])[path]
    digests = {name: digest(text) for name, text in texts.items()}
    manifest = manifest_of(settings, targets, digests, compiled.files)
    piece = Piece(settings, tuple(target.name for target in targets), manifest, path, compiled)
    return _ActionResult(
        generated=compiled.files,
        written_before=files_of_piece(args.piece),
        inputs=closure.read,
        other_files={args.piece: piece_text(piece)},
        warnings=compiled.warnings,
    )


def _link_index(args: argparse.Namespace) -> _ActionResult:
    """Return the files that all tools share, from the pieces of all specs."""
    from toolgen.cli.building.options import targets_of
    from toolgen.cli.building.project_build import manifest_of
    from toolgen.pipeline import link
    from toolgen.project.build_actions.pieces import (
        files_of_manifest,
        merged_manifest,
        read_pieces,
        refuse_differing,
        refuse_missing,
    )
    from toolgen.project.output.manifest import NAME, manifest_text

    pieces = read_pieces(args.index)
    first = next(iter(pieces.values()))
    targets = targets_of(first.targets, args.templates)
    refuse_differing(pieces, manifest_of(first.settings, targets, {}, {}))
    compiled = {piece.spec_path: piece.compiled for piece in pieces.values()}
    sources = [spec.source for spec in compiled.values()]
    args.texts.update({source.file: source.text for source in sources})
    package = link(compiled, targets, first.settings, {})
    manifest = merged_manifest(pieces.values(), manifest_of(first.settings, targets, {}, package.index))
    refuse_missing(pieces)
    return _ActionResult(
        generated={**package.index, NAME: manifest_text(manifest)},
        written_before={NAME, *files_of_manifest(os.path.join(args.out, NAME))},
        inputs=[*pieces, *(word[1:] for word in args.index if word.startswith("@"))],
        warnings=package.joint_warnings,
    )
