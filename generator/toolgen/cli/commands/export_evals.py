"""Write tests from the examples with `ask`: does a model call the right tool with the right arguments?

The suite is a folder of files for promptfoo, which runs it: npx promptfoo@latest eval
"""

from __future__ import annotations

import argparse
import shlex

from toolgen.base.suggestions import count
from toolgen.cli import diagnostics
from toolgen.cli.output import emit, say
from toolgen.cli.parser import add_flag
from toolgen.documents.evals import read_suite

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
    add_flag(parser, "--tools-only", "test which tools are called, not the arguments")


def run(args: argparse.Namespace) -> bool:
    suite = read_suite(args.start, args.provider, args.output, with_arguments=not args.tools_only)
    diagnostics.show(suite.warnings, args.start)
    suite.write()
    tools = len({case.tool for case in suite.cases})
    emit(*(f"{args.output}/{name}" for name in suite.files))
    say(f"{count(len(suite.cases), 'test')} of {count(tools, 'tool')} for {suite.provider}")
    say(f"next: npx promptfoo@latest eval -c {shlex.quote(f'{args.output}/{next(iter(suite.files))}')}")
    return True
