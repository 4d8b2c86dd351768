"""List the tools that the specs describe, one per line: name, and first sentence of the description.

With --ask, search them by what a user says, as models do where they are many: by BM25 over names, titles,
descriptions and parameters, the best first; exit 1 if no tool has any of the words. Runs no code of the
project.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from toolgen.base.suggestions import first_sentence
from toolgen.cli.output import emit, emit_json, say
from toolgen.cli.parser import add_format, whole_number
from toolgen.language.checking.resolve import read_tools
from toolgen.language.lint.asks import searched_spec
from toolgen.language.program import ProgramTool
from toolgen.project import load_targets, read_project
from toolgen.runtime.tool_search import ToolSearch


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ask", metavar="TEXT", help="the tools for what a user says, quoted")
    parser.add_argument(
        "--limit", type=whole_number, default=5, metavar="N", help="at most N tools with --ask (default: 5)"
    )
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    read = read_project(args.start)
    program = read_tools(read.specs, load_targets(read.project), f"{read.project.specs}/")
    tools = {tool.spec.name: tool for tool in program.tools}
    if args.ask is not None:
        return _search(args, tools)
    if args.format == "json":
        data = [
            {"name": name, "description": tool.spec.description, "spec": tool.source.file}
            for name, tool in tools.items()
        ]
        emit_json({"tools": data})
        return True
    width = max(map(len, tools), default=0)
    emit(*(f"{name:<{width}}  {first_sentence(tool.spec.description)}" for name, tool in tools.items()))
    return True


def _search(args: argparse.Namespace, tools: Mapping[str, ProgramTool]) -> bool:
    with ToolSearch(searched_spec(tool) for tool in tools.values()) as search:
        found = search.find(args.ask, args.limit)
    summaries = {name: tools[name].spec.description.strip().partition("\n")[0].rstrip() for name in found}
    if args.format == "json":
        listed = [{"tool": name, "score": found[name], "summary": summaries[name]} for name in found]
        emit_json({"query": args.ask, "tools": listed})
    elif found:
        width = max(map(len, found))
        emit(*(f"{score:8.3g}  {name:<{width}}  {summaries[name]}" for name, score in found.items()))
    else:
        say("no tool has any of these words")
    return bool(found)
