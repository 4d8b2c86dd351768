"""`generate --spec` and `--index`: the flags of one action of a build system."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, NoReturn

from toolgen.project import UnableError
from toolgen.python_source.names import not_importable

if TYPE_CHECKING:
    from toolgen.data.package import PackageSettings

_SPEC_ONLY = (
    "include_root",
    "piece",
    "package",
    "implementations",
    "shown_as",
    "target",
    "no_coerce",
    "no_mcp_output_schema",
    "mcp_references",
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
    group.add_argument(
        "--no-mcp-output-schema", action="store_true", default=None, help="like [mcp] output_schema = false"
    )
    group.add_argument("--mcp-references", choices=("inline", "keep"), help="like [mcp] references")
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
    # an action knows no project, and so no folder to start in
    if (args.spec or args.index) and args.start != ".":
        _refuse("-C is for projects; with --spec or --index, paths are relative to the working directory")
    if (args.spec or args.index) and args.watch:
        _refuse("--watch is for projects; a build system detects changes itself")
    return bool(args.spec or args.index)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _refuse(message: str) -> NoReturn:
    raise UnableError("usage", message, "see `toolgen generate --help`")


def run(args: argparse.Namespace) -> bool:
    """Run the action. Only warnings and `--format json` print anything."""
    from toolgen.building.build_action import compile_spec, link_index, write_action
    from toolgen.cli import diagnostics
    from toolgen.cli.output import emit_json
    from toolgen.data.internal_error import TemplateBug
    from toolgen.report.json import diagnostics_data

    try:
        if args.spec:
            result = compile_spec(
                args.spec,
                args.include_root,
                _settings(args),
                target_names=args.target,
                templates=args.templates,
                cache_folder=args.cache,
                piece=args.piece,
            )
        else:
            result = link_index(args.index, args.out, args.templates)
    except TemplateBug as error:
        if args.templates is None:
            raise
        raise UnableError("bad-template", str(error), f"look at the templates in {args.templates}") from error
    write_action(result, args.out, args.templates, args.depfile)
    if args.format == "json":
        written = sorted(os.path.join(args.out, path) for path in result.generated)
        emit_json({"written": written, "warnings": diagnostics_data(result.warnings)})
    else:
        diagnostics.show(result.warnings, args.start, texts=result.texts)
    return True


def _settings(args: argparse.Namespace) -> PackageSettings:
    """Return the settings of the package. Raises `UnableError` for a name that Python cannot import."""
    from toolgen.data.package import PackageSettings

    default = PackageSettings()
    package = args.package or default.package
    # `x`: without implementations there is no name to refuse
    for flag, name in (("--package", package), ("--implementations", args.implementations or "x")):
        if (bad := not_importable(name)) is not None:
            message = f"{flag} must be a name that Python can import; {bad!r} cannot be"
            raise UnableError("usage", message, "as in app.tools")
    if f"{args.implementations}.".startswith(f"{package}."):
        hint = "hand-written tools live in a package of their own"
        raise UnableError("usage", "--implementations is inside the generated package", hint)
    return PackageSettings(
        package,
        args.implementations,
        _shown_as(args) or default.specs,
        not args.no_coerce,
        args.server_name,
        args.server_version,
        args.server_instructions,
        not args.no_mcp_output_schema,
        args.mcp_references or default.mcp_references,
    )


def _shown_as(args: argparse.Namespace) -> str:
    parts = [part for part in (args.shown_as or "").split("/") if part not in ("", ".")]
    if not "".join(parts).isprintable() or "\\" in (args.shown_as or ""):
        raise UnableError("usage", "--shown-as must be printable, with forward slashes", "as in tools/specs")
    return "/".join(parts)
