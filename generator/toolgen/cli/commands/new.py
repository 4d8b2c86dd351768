"""Create a tool: its spec, a module for its implementation, and a test.

Where there is no project, makes one first, as `toolgen init` does.

For a spec that exists, `new NAME` without flags creates what is missing: the implementation and the test.
`new --all` does that for every tool without an implementation.

A parameter is written name:type[:description]. Types: string, integer, number, boolean, object; string[] is
an array of strings, and `?` after the type makes the parameter optional.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path

from toolgen.cli.imports.common import make_project
from toolgen.cli.output import command_line, emit, emit_json, say
from toolgen.cli.parser import add_flag, add_format, add_repeated
from toolgen.language.identifiers import file_stem
from toolgen.project import Project, UnableError, create_files, find_project, kind_of
from toolgen.project.building.spec_source import project_at
from toolgen.project.scaffolding.new_tool import describe_tool, missing_parts, new_tool_files, parse_parameter

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="the name by which models call the tool")
    add_flag(parser, "--all", "create what is missing for every tool without an implementation")
    parser.add_argument("--description", metavar="TEXT", help="what the tool does (default: its name)")
    add_repeated(parser, "--param", "NAME:TYPE[:TEXT]", "a parameter")
    add_flag(parser, "--destructive", "ask the user to confirm every call")
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    start = Path(args.start)
    project = find_project(start) if args.all else project_at(start)
    root, specs = (project.root, project.specs) if project else (start, "specs")
    # a spec that exists, without flags: only its other files may be missing
    has_flags = args.description is not None or args.param or args.destructive
    name: str = args.name or ""
    is_name = _NAME.fullmatch(name) is not None
    spec = f"{specs}/{file_stem(name)}.yaml"
    exists = is_name and kind_of(root, spec) is not None
    if args.all or (exists and not has_flags):
        return _complete(args, project or make_project(args.start), spec, has_flags=bool(has_flags))
    if args.name is None:
        raise UnableError("usage", "name a tool, or use --all", "see `toolgen new --help`")
    if not is_name:
        rule = "letters, digits, _ and -, at most 64, beginning with a letter or _"
        raise UnableError("bad-name", f"'{args.name}' cannot name a tool", f"a name has {rule}")
    if exists:
        hint = f"edit it; without flags, `toolgen new {args.name}` creates what else is missing"
        raise UnableError("file-exists", f"{spec} exists already", hint)
    parameters = [parse_parameter(text) for text in args.param]
    answers = describe_tool(args.name, args.description, parameters, destructive=args.destructive)
    project = project or make_project(args.start)
    written = new_tool_files(project, spec, answers)
    create_files(project.root, written)
    given = "".join(f" {name}=…" for name in answers["arguments"])
    call = f"{command_line(args, 'call', args.name)}{given}"
    return _show(args, written, f"next: edit {spec}, fill in `execute`, then {call}")


def _show(args: argparse.Namespace, written: Mapping[str, str], after: str) -> bool:
    if args.format == "json":
        emit_json({"written": list(written)})
    else:
        emit(*written)
        say(after)
    return True


def _complete(args: argparse.Namespace, project: Project, spec: str, *, has_flags: bool) -> bool:
    """Create the missing implementations and tests of tools whose specs exist."""
    if args.all and (args.name or has_flags):
        raise UnableError("usage", "--all takes no name and no flags of a new tool")
    parts = missing_parts(args.start, None if args.all else args.name)
    if not parts:
        if args.all:
            return _show(args, {}, "every tool has an implementation")
        message = f"{spec}, its implementation and its test exist already"
        raise UnableError("file-exists", message, "nothing was written")
    create_files(project.root, parts)
    return _show(args, parts, "next: fill in `execute`")
