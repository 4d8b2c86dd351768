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
from typing import TYPE_CHECKING, Any

from toolgen.cli.output import ask, can_ask, emit, emit_json, say
from toolgen.cli.parser import add_format
from toolgen.cli.scaffolding.parameters import Parameter, parse_parameter, printable
from toolgen.project import Project, UnableError, create_files, find_project, kind_of

if TYPE_CHECKING:
    from toolgen.data.diagnostic import Diagnostic
    from toolgen.data.package import Tool

_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="the name by which models call the tool")
    parser.add_argument(
        "--all", action="store_true", help="create what is missing for every tool without an implementation"
    )
    parser.add_argument("--description", metavar="TEXT", help="what the tool does (default: ask)")
    parser.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME:TYPE[:TEXT]",
        help="a parameter; may be repeated",
    )
    parser.add_argument("--destructive", action="store_true", help="ask the user to confirm every call")
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    project = find_project(Path(args.start))
    if args.all or (args.name and _is_complete(project, args)):
        return _complete(args, project)
    if args.name is None:
        raise UnableError("usage", "name a tool, or use --all", "see `toolgen new --help`")
    if not _NAME.fullmatch(args.name):
        rule = "letters, digits, _ and -, at most 64, beginning with a letter or _"
        raise UnableError("bad-name", f"'{args.name}' cannot name a tool", f"a name has {rule}")
    spec = f"{project.specs}/{args.name}.yaml"
    if kind_of(project.root, spec) is not None:
        raise UnableError("file-exists", f"{spec} exists already", "nothing was written")
    written = _files(project, spec, _answers(args))
    create_files(project.root, written)
    return _show(args, written, f"next: edit {spec}, then `toolgen generate`, then fill in `execute`")


def _show(args: argparse.Namespace, written: Mapping[str, str], after: str) -> bool:
    if args.format == "json":
        emit_json({"written": list(written)})
    else:
        emit(*written)
        say(after)
    return True


def _is_complete(project: Project, args: argparse.Namespace) -> bool:
    """True if there is a spec of the tool, and no flag says what a new one should hold."""
    if args.description is not None or args.param or args.destructive:
        return False
    return kind_of(project.root, f"{project.specs}/{args.name}.yaml") is not None


def _complete(args: argparse.Namespace, project: Project) -> bool:
    """Create the missing implementations and tests of tools whose specs exist."""
    from toolgen.cli.scaffolding.missing_parts import missing_parts

    if args.all and (args.name or args.description is not None or args.param or args.destructive):
        raise UnableError("usage", "--all takes no name and no flags of a new tool")
    parts = missing_parts(args.start, None if args.all else args.name)
    if not parts:
        if args.all:
            return _show(args, {}, "every tool has an implementation")
        message = f"{project.specs}/{args.name}.yaml, its implementation and its test exist already"
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
        return _values(args.name, args.description, parameters, args.destructive)
    description = ""
    while not description:
        description = ask(f"What does {args.name} do? ")
    parameters = [*map(parse_parameter, args.param), *_asked_parameters()]
    question = "Does it change or delete something that cannot be restored? [y/N] "
    destructive = args.destructive or ask(question).lower() in ("y", "yes")
    return _values(args.name, description, parameters, destructive)


def _asked_parameters() -> Iterator[Parameter]:
    say("Its parameters, one per line: name:type[:description], for example 'note:string?:Free text'.")
    while text := ask("  parameter (empty to continue): "):
        try:
            yield parse_parameter(text)
        except UnableError as error:  # a typo at a prompt: ask again
            say(f"  {error.message}; {error.hint}")


def _values(name: str, description: str, parameters: list[Parameter], destructive: bool) -> dict[str, Any]:
    names = [parameter.name for parameter in parameters]
    for twice in {name for name in names if names.count(name) > 1}:
        raise UnableError("bad-parameter", f"the parameter '{twice}' is given twice")
    if not description.strip():
        raise UnableError(
            "usage", "the description is empty", "say what the tool does: models choose tools by it"
        )
    words = name.replace("_", " ").replace("-", " ").strip() or name
    title = words[:1].upper() + words[1:]
    required = [parameter for parameter in parameters if not parameter.optional]
    return {
        "name": name,
        "title": title,
        "description": printable(description.strip()),
        "parameters": parameters,
        "required": required,
        "destructive": destructive,
        "arguments": {parameter.name: parameter.sample for parameter in required},
    }


def _files(project: Project, spec: str, answers: dict[str, Any]) -> dict[str, str]:
    """Return path below the project → text of every new file."""
    from toolgen.cli.scaffolding.files import (
        PACKAGE,
        missing_packages,
        schema_file,
        spec_text,
        stub_text,
        test_text,
    )

    text = spec_text(answers)
    tool = _compile_new_spec(project, answers["name"], spec, text)
    schema, schema_text = schema_file()
    files = {spec: text}
    if kind_of(project.root, f"{project.specs}/{schema}") is None:
        files[f"{project.specs}/{schema}"] = schema_text
    if project.implementations:
        files |= dict.fromkeys(missing_packages(project), PACKAGE)
        module = project.path_of(f"{project.implementations}.{tool.py_name}")
        files[f"{module}.py"] = stub_text(project.package, tool, answers["title"])
        files[f"tests/test_{tool.py_name}.py"] = test_text(tool, answers["title"])
    return files


def _compile_new_spec(project: Project, name: str, spec: str, text: str) -> Tool:
    """Compile `text` together with the existing specs; return its tool `name`, or raise its `SpecErrors`."""
    from toolgen.cli.building.project_build import Inputs, package_of, program_of
    from toolgen.data.diagnostic import SpecErrors
    from toolgen.project import load_targets, read_specs

    path = spec.removeprefix(f"{project.specs}/")
    alone = Inputs(project, {path: text.encode()}, load_targets(project))
    try:
        others = read_specs(project)
    except UnableError:  # there are no specs yet
        others = {}
    together = Inputs(project, {**others, path: text.encode()}, alone.targets)
    try:
        program = program_of(together)
        inputs = together
    except SpecErrors as errors:
        ours = [fault for fault in errors.diagnostics if spec in _files_of(fault)]
        if ours:
            raise SpecErrors(ours) from errors
        program = program_of(alone)  # `generate` reports errors in the others
        inputs = alone
    return next(tool for tool in package_of(program, inputs).tools if tool.wire_name == name)


def _files_of(fault: Diagnostic) -> set[str]:
    return {fault.span.file, *(note.span.file for note in fault.notes)}
