"""List the files that `generate` would write, one per line, relative to the project.

With --spec or --index, list the files of one action of a build system, relative to its --out. Then nothing is
read but that spec.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from toolgen.cli.output import emit, emit_json
from toolgen.cli.parser import add_format


def arguments(parser: argparse.ArgumentParser) -> None:
    add_format(parser)
    group = parser.add_argument_group("for build systems", "Use the options that `generate` gets.")
    which = group.add_mutually_exclusive_group()
    which.add_argument("--spec", metavar="FILE", help="list the files of this spec")
    which.add_argument("--index", action="store_true", help="list the files that all specs share")
    group.add_argument(
        "--include-root", metavar="DIR", help="the specs folder, where --spec has shared schemas"
    )
    group.add_argument("--target", metavar="NAME", action="append", help="a target (default: all built-in)")
    group.add_argument("--templates", metavar="DIR", help="a folder with further templates")


def run(args: argparse.Namespace) -> bool:
    files = _action_files(args) if args.spec or args.index else _project_files(args)
    if args.format == "json":
        emit_json({"outputs": files})
    elif files:
        emit(*files)
    return True


def _action_files(args: argparse.Namespace) -> list[str]:
    from toolgen.building.build_action import errors_in, targets_of
    from toolgen.output_files import index_files, spec_files, spec_names
    from toolgen.project import UnableError
    from toolgen.project.build_actions.declared_files import path_below, read_file
    from toolgen.project.output.manifest import NAME

    targets = targets_of(args.target, args.templates)
    if args.index:
        return sorted([*index_files(targets), NAME])
    text = read_file(args.spec)
    with errors_in({args.spec: text}):
        names = spec_names({args.spec: text}, "", targets)
    if names.shared:
        if args.include_root is None:
            message = f"the module for {args.spec} is named after its path below the specs folder"
            raise UnableError("usage", message, "name that folder with --include-root")
        names = replace(names, shared=(path_below(args.spec, args.include_root),))
    return spec_files(names, targets)


def _project_files(args: argparse.Namespace) -> list[str]:
    from toolgen.building.project_build import read_inputs
    from toolgen.output_files import index_files, spec_files, spec_names
    from toolgen.project import UnableError
    from toolgen.project.output.manifest import NAME

    # ignored flags would make the list look as if they counted
    for flag in ("target", "templates", "include_root"):
        if getattr(args, flag) is not None:
            shown = flag.replace("_", "-")
            raise UnableError("usage", f"--{shown} goes with --spec or --index", "a project configures it")
    inputs = read_inputs(args.start)
    names = spec_names(inputs.specs, f"{inputs.project.specs}/", inputs.targets)
    files = {NAME, *index_files(inputs.targets), *spec_files(names, inputs.targets)}
    return sorted(f"{inputs.project.output}/{path}" for path in files)
