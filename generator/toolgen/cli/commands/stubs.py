"""Print the types of tools for a model that writes code: a function for each tool, and the types it needs.

SOURCE is a project, a folder of specs or one spec; a file of definitions as `toolgen export` prints them (-
for stdin); the URL of an MCP server, or a command that starts one (quoted, or after `--`). The default is the
project here. A type that several tools use is printed once. Sizes are on stderr. Calls no tool.
"""

from __future__ import annotations

import argparse

from toolgen.cli.output import emit_content, say

RUNS_EVENT_LOOP = True


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source",
        nargs="?",
        default=".",
        metavar="SOURCE",
        help="specs, a file of definitions, a URL, or a command that starts a server (default: .)",
    )
    parser.add_argument(
        "--language", choices=("python", "typescript"), default="python", help="default: python"
    )


def run(args: argparse.Namespace) -> bool:
    from toolgen.comparing.source_definitions import read_source_definitions
    from toolgen.measuring.stubs import stub_sizes
    from toolgen.stubs.printed import print_stubs

    definitions = read_source_definitions(args.source, args.start)
    printed = print_stubs(definitions, args.language)
    emit_content(printed.text)
    say(*stub_sizes(printed, definitions))
    return True
