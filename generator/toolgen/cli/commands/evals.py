"""Write the examples with `ask` as tests of a model: does it call the right tool with the right arguments?

The suite is a folder of files for promptfoo, which runs it: npx promptfoo@latest eval
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from toolgen.cli.line_diff import unified_diff
from toolgen.cli.output import count, emit, say

if TYPE_CHECKING:
    from toolgen.cli.evaluating.cases import EvalCase
    from toolgen.project.files.reading import RootedPath

_OUTPUT = "evals"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=("promptfoo",),
        default="promptfoo",
        help="the format of the suite (default: promptfoo)",
    )
    parser.add_argument(
        "--provider",
        metavar="ID",
        default="openai",
        help="the model: openai, anthropic, or promptfoo's id of a model of openai:chat, openai:responses or "
        "anthropic:messages, such as openai:chat:gpt-5.5 (default: openai)",
    )
    parser.add_argument(
        "-o", "--output", metavar="DIR", default=_OUTPUT, help=f"the folder of the suite (default: {_OUTPUT})"
    )
    parser.add_argument(
        "--tools-only", action="store_true", help="test which tools are called, not the arguments"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit 1 and show a diff if the suite is out of date",
    )


def run(args: argparse.Namespace) -> bool:
    from toolgen.cli.evaluating.promptfoo import SHORT_IDS

    provider = SHORT_IDS.get(args.provider, args.provider)
    cases, files = _suite(args, provider)
    existing = _existing(args, files)
    if args.check:
        return _check(args, files, existing)
    _write(args, files, existing)
    tools = len({case.tool for case in cases})
    emit(*(f"{args.output}/{name}" for name in files))
    say(f"{count(len(cases), 'test')} of {count(tools, 'tool')} for {provider}")
    say(f"next: npx promptfoo@latest eval -c {shlex.quote(f'{args.output}/{next(iter(files))}')}")
    return True


def _suite(args: argparse.Namespace, provider: str) -> tuple[list[EvalCase], dict[str, str]]:
    """Return the cases and the files of the suite. Raises `SpecErrors`, or `UnableError` without a case."""
    from toolgen.cli import diagnostics
    from toolgen.cli.building.exports import document, export_formats, for_target
    from toolgen.cli.building.project_build import package_of, program_of, read_inputs
    from toolgen.cli.evaluating.cases import eval_cases
    from toolgen.cli.evaluating.promptfoo import provider_format, suite_files, unusable_asks
    from toolgen.data.diagnostic import SpecErrors
    from toolgen.project import UnableError

    target, found = export_formats()[provider_format(provider)]
    inputs = for_target(read_inputs(args.start), target)
    program = program_of(inputs)
    tools = package_of(program, inputs).tools
    cases = list(eval_cases(program.tools, tools, target))
    if not cases:
        hint = 'write what a user would say into an example: ask: "Order 24 brake pads"'
        raise UnableError("no-asks", "there is no example with `ask`", hint)
    if faults := list(unusable_asks(cases)):
        raise SpecErrors(faults)
    if warnings := [each for each in program.warnings if each.code == "contradicting-asks"]:
        diagnostics.show(warnings, args.start, as_json=False)
    return cases, suite_files(cases, document(found, tools), provider, with_arguments=not args.tools_only)


def _folder(args: argparse.Namespace) -> RootedPath:
    from toolgen.project import find_root, locate

    return locate(find_root(Path(args.start)), Path(args.start), args.output)


def _existing(args: argparse.Namespace, files: Mapping[str, str]) -> dict[str, str | None]:
    from toolgen.project import read_text

    folder = _folder(args)
    return {name: read_text(folder.root, folder.with_name(name)) for name in files}


def _write(args: argparse.Namespace, files: Mapping[str, str], existing: Mapping[str, str | None]) -> None:
    """Write the suite. Raises `UnableError` where another file is in the way."""
    from toolgen.cli.evaluating.promptfoo import CONFIG, is_own_config
    from toolgen.project import UnableError, replace_files

    there = [f"{args.output}/{name}" for name, text in existing.items() if text is not None]
    if there and not is_own_config(existing[CONFIG] or ""):
        message = f"{', '.join(there)}: not written by `toolgen evals`"
        raise UnableError("file-exists", message, "choose another folder: -o DIR")
    folder = _folder(args)
    replace_files(folder.root, files, below=folder.path)


def _check(args: argparse.Namespace, files: Mapping[str, str], existing: Mapping[str, str | None]) -> bool:
    lines = [
        line for name, text in files.items() for line in _diff(f"{args.output}/{name}", existing[name], text)
    ]
    if not lines:
        say(f"clean: {count(len(files), 'file')}")
        return True
    words = [] if args.start == "." else ["-C", args.start]
    chosen = [] if args.provider == "openai" else ["--provider", args.provider]
    chosen += ["--tools-only"] if args.tools_only else []
    where = [] if args.output == _OUTPUT else ["-o", args.output]
    emit(*lines, f"to fix it: {shlex.join(['toolgen', *words, 'evals', *chosen, *where])}")
    return False


def _diff(path: str, old: str | None, new: str) -> Iterator[str]:
    if old is None:
        yield f"MISSING  {path}"
    elif old.replace("\r\n", "\n") != new:
        yield f"CHANGED  {path}"
        before, after = old.splitlines(), new.splitlines()
        yield from unified_diff(before, after, "on disk", "from the specs", lineterm="", n=2)
