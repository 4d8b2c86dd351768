"""Create a tool: its spec, a module for its implementation, and a test. Without flags, asks for the values.

For a spec that exists, `new NAME` without flags creates what is missing: the implementation and the test.
`new --all` does that for every tool without an implementation.

A parameter is written name:type[:description]. Types: string, integer, number, boolean, object; string[] is
an array of strings, and `?` after the type makes the parameter optional.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toolgen.cli.output import ask, can_ask, emit, emit_json, say
from toolgen.cli.parser import add_flag, add_format, add_repeated
from toolgen.language.names import file_stem
from toolgen.project import Project, UnableError, create_files, find_project, kind_of
from toolgen.project.scaffolding.new_tool import (
    Parameter,
    describe_tool,
    missing_parts,
    new_tool_files,
    parse_parameter,
)

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="the name by which models call the tool")
    add_flag(parser, "--all", "create what is missing for every tool without an implementation")
    parser.add_argument("--description", metavar="TEXT", help="what the tool does (default: ask)")
    add_repeated(parser, "--param", "NAME:TYPE[:TEXT]", "a parameter")
    add_flag(parser, "--destructive", "ask the user to confirm every call")
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    project = find_project(Path(args.start))
    # a spec that exists, without flags: only its other files may be missing
    has_flags = args.description is not None or args.param or args.destructive
    is_name = args.name is not None and _NAME.fullmatch(args.name) is not None
    exists = is_name and kind_of(project.root, _spec_path(project, args.name)) is not None
    if args.all or (exists and not has_flags):
        return _complete(args, project, has_flags=bool(has_flags))
    if args.name is None:
        raise UnableError("usage", "name a tool, or use --all", "see `toolgen new --help`")
    if not is_name:
        rule = "letters, digits, _ and -, at most 64, beginning with a letter or _"
        raise UnableError("bad-name", f"'{args.name}' cannot name a tool", f"a name has {rule}")
    spec = _spec_path(project, args.name)
    if exists:
        raise UnableError("file-exists", f"{spec} exists already", "nothing was written")
    answers = _answers(args)
    written = new_tool_files(project, spec, answers)
    create_files(project.root, written)
    return _show(args, written, f"next: edit {spec}, then `toolgen generate`, then fill in `execute`")


def _spec_path(project: Project, name: str) -> str:
    return f"{project.specs}/{file_stem(name)}.yaml"


def _show(args: argparse.Namespace, written: Mapping[str, str], after: str) -> bool:
    if args.format == "json":
        emit_json({"written": list(written)})
    else:
        emit(*written)
        say(after)
    return True


def _complete(args: argparse.Namespace, project: Project, *, has_flags: bool) -> bool:
    """Create the missing implementations and tests of tools whose specs exist."""
    if args.all and (args.name or has_flags):
        raise UnableError("usage", "--all takes no name and no flags of a new tool")
    parts = missing_parts(args.start, None if args.all else args.name)
    if not parts:
        if args.all:
            return _show(args, {}, "every tool has an implementation")
        message = f"{_spec_path(project, args.name)}, its implementation and its test exist already"
        raise UnableError("file-exists", message, "nothing was written")
    create_files(project.root, parts)
    return _show(args, parts, "next: `toolgen generate`, then fill in `execute`")


def _answers(args: argparse.Namespace) -> dict[str, Any]:
    """Return the values from the flags, or from the user at the terminal."""
    if args.description is None and not can_ask():
        message = "--description is required without a terminal"
        raise UnableError("usage", message, "see `toolgen new --help`")
    if args.description is not None:
        parameters = [parse_parameter(text) for text in args.param]
        return describe_tool(args.name, args.description, parameters, destructive=args.destructive)
    description = ""
    while not description:
        description = ask(f"What does {args.name} do? ")
    parameters = [*map(parse_parameter, args.param), *_asked_parameters()]
    question = "Does it change or delete something that cannot be restored? [y/N] "
    destructive = args.destructive or ask(question).lower() in ("y", "yes")
    return describe_tool(args.name, description, parameters, destructive=destructive)


def _asked_parameters() -> Iterator[Parameter]:
    say(
        "Its parameters, one per line: name:type[:description], for example 'note:string?:Free text'.",
        always=True,
    )
    while text := ask("  parameter (empty to continue): "):
        try:
            yield parse_parameter(text)
        except UnableError as error:  # a typo at a prompt: ask again
            say(f"  {error.message}; {error.hint}", always=True)
