"""Search the tools by what a user says, as models do where they are many: by BM25, the best first.

Names, titles, descriptions and parameters are searched. Exit 1 if no tool has any of the words. Runs no code
of the project.
"""

from __future__ import annotations

import argparse

from toolgen.cli.output import emit, emit_json, say
from toolgen.cli.parser import add_format, whole_number
from toolgen.language.lint.asks import searched_spec
from toolgen.project.building.project_build import program_of, read_inputs
from toolgen.runtime.tool_search import ToolSearch


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT", help="what a user says, quoted")
    parser.add_argument(
        "--limit", type=whole_number, default=5, metavar="N", help="the number of tools to print (default: 5)"
    )
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    tools = {tool.spec.name: tool for tool in program_of(read_inputs(args.start)).tools}
    with ToolSearch(map(searched_spec, tools.values())) as search:
        found = search.find(args.text, args.limit)
    summaries = {name: tools[name].spec.description.strip().partition("\n")[0].rstrip() for name in found}
    if args.format == "json":
        listed = [{"tool": name, "score": found[name], "summary": summaries[name]} for name in found]
        emit_json({"query": args.text, "tools": listed})
    elif found:
        width = max(map(len, found))
        emit(*(f"{score:8.3g}  {name:<{width}}  {summaries[name]}" for name, score in found.items()))
    else:
        say("no tool has any of these words")
    return bool(found)
