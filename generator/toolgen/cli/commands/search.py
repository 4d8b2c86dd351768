"""Search the tools by what a user says, as models do where they are many: by BM25, the best first.

Names, titles, descriptions and parameters are searched. Exit 1 if no tool has any of the words. Runs no code
of the project.
"""

from __future__ import annotations

import argparse

from toolgen.changes.measuring.search import search_project
from toolgen.cli.output import emit, emit_json, say
from toolgen.cli.parser import add_format, whole_number


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT", help="what a user says, quoted")
    parser.add_argument(
        "--limit", type=whole_number, default=5, metavar="N", help="the number of tools to print (default: 5)"
    )
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    found = search_project(args.start, args.text, args.limit)
    if args.format == "json":
        tools = [{"tool": each.name, "score": each.score, "summary": each.summary} for each in found]
        emit_json({"query": args.text, "tools": tools})
    elif found:
        width = max(len(each.name) for each in found)
        emit(*(f"{each.score:8.3g}  {each.name:<{width}}  {each.summary}" for each in found))
    else:
        say("no tool has any of these words")
    return bool(found)
