"""Write tests from the examples with `ask`: does a model call the right tool with the right arguments?

The suite is a folder of files for promptfoo, which runs it: npx promptfoo@latest eval
"""

from __future__ import annotations

import argparse
import shlex

from toolgen.base.suggestions import count
from toolgen.cli import diagnostics
from toolgen.cli.output import command_line, emit, say
from toolgen.cli.report.text import lines_of_files
from toolgen.documents.evals import Suite, read_suite

_OUTPUT = "evals"


def arguments(parser: argparse.ArgumentParser) -> None:
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
    suite = read_suite(args.start, args.provider, args.output, with_arguments=not args.tools_only)
    diagnostics.show(suite.warnings, args.start)
    if args.check:
        return _check(args, suite)
    suite.write()
    tools = len({case.tool for case in suite.cases})
    emit(*(f"{args.output}/{name}" for name in suite.files))
    say(f"{count(len(suite.cases), 'test')} of {count(tools, 'tool')} for {suite.provider}")
    say(f"next: npx promptfoo@latest eval -c {shlex.quote(f'{args.output}/{next(iter(suite.files))}')}")
    return True


def _check(args: argparse.Namespace, suite: Suite) -> bool:
    lines = list(lines_of_files(suite.shown, suite.existing, suite.files))
    if not lines:
        say(f"clean: {count(len(suite.files), 'file')}")
        return True
    chosen = [] if args.provider == "openai" else ["--provider", args.provider]
    chosen += ["--tools-only"] if args.tools_only else []
    where = [] if args.output == _OUTPUT else ["-o", args.output]
    emit(*lines, f"to fix it: {command_line(args, 'evals', *chosen, *where)}")
    return False
