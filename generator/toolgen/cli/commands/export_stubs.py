"""Print the types of tools for a model that writes code: a function for each tool, and the types it needs.

SOURCE is a project, a folder of specs or one spec; a file of definitions as `toolgen export` prints them (-
for stdin); the URL of an MCP server, or a command that starts one (quoted, or after `--`). The default is the
project here. A type that several tools use is printed once. Sizes are on stderr. Calls no tool.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from toolgen.base.suggestions import count
from toolgen.changes.budget import NOUNS, compact_text, text_measures
from toolgen.changes.comparing.source_definitions import read_source_definitions
from toolgen.cli.output import emit, say
from toolgen.cli.parser import add_choice
from toolgen.compile.stubs.printed import PrintedStubs, print_stubs
from toolgen.runtime.definition.tool_definition import ToolDefinition


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(takes_command=True)
    parser.add_argument(
        "source",
        nargs="?",
        default=".",
        metavar="SOURCE",
        help="specs, a file of definitions, a URL, or a command that starts a server (default: .)",
    )
    languages = ("python", "typescript")
    add_choice(parser, "--language", languages, "default: python", default="python")


def run(args: argparse.Namespace) -> bool:
    definitions = read_source_definitions(args.source, args.start)
    printed = print_stubs(definitions, args.language)
    emit(*printed.text.removesuffix("\n").split("\n"))
    say(*_size_lines(printed, definitions))
    return True


def _size_lines(printed: PrintedStubs, definitions: Iterable[ToolDefinition]) -> Iterator[str]:
    """Yield the lines of a table: each tool, the largest first, what several of them use, and all.

    Sizes are in bytes, and in tokens of o200k if the extra `tokens` is installed.
    """
    measures = text_measures()
    rows = {name: _sizes(text, measures) for name, text in printed.tools.items()}
    parts = [(name, rows[name]) for name in sorted(rows, key=lambda name: (-rows[name][0], name))]
    if printed.shared:
        parts.append(("types of several tools", _sizes(printed.shared, measures)))
    parts.append((f"all, {count(len(rows), 'tool')}", _sizes(printed.text, measures)))
    listed = compact_text([_listed(each) for each in definitions])
    parts.append(("their definitions in JSON", _sizes(listed, measures)))
    yield "".join(f"{NOUNS[unit]:>10}" for unit in measures)
    for label, sizes in parts:
        yield f"{''.join(f'{size:>10,}' for size in sizes)}  {label}"


def _sizes(text: str, measures: Mapping[str, Callable[[str], int]]) -> list[int]:
    return [measure(text) for measure in measures.values()]


def _listed(definition: ToolDefinition) -> dict[str, Any]:
    """Return what MCP's `tools/list` says of names, texts and schemas."""
    keys = {"name": "name", "description": "description", "input_schema": "inputSchema"}
    keys["output_schema"] = "outputSchema"
    return {listed: definition.get(key) for key, listed in keys.items() if key in definition}
