"""Write a typed client of an MCP server: a Python package with one method for each tool.

SOURCE is a project or a folder of specs, a file that `toolgen export mcp` printed, the URL of a server, or a
command that starts one: one quoted word, or everything after `--`. The package needs toolgen[mcp], and
nothing of the server. toolgen.lock, beside it, holds the definitions that it was generated from.

--check compares the package with its lock: exit 1 and a diff if it was changed. With --upstream, the lock is
also compared with what the source lists today: exit 1 if that breaks the client, or changes what models read.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from toolgen.cli.output import emit
from toolgen.cli.parser import add_format
from toolgen.suggestions import count

if TYPE_CHECKING:
    pass

RUNS_EVENT_LOOP = True


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source", metavar="SOURCE", nargs="?", help="a folder of specs, a file, a URL, or a command"
    )
    parser.add_argument(
        "--out", metavar="DIR", default=".", help="the folder for the package and its lock (default: .)"
    )
    parser.add_argument("--package", metavar="NAME", help="the name of the package: shop gives ShopClient")
    parser.add_argument(
        "--uses",
        metavar="PATH",
        action="append",
        default=[],
        help="Python code that uses the client; the lock says which tools and fields (may be repeated)",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; fail if something would change")
    parser.add_argument(
        "--upstream", action="store_true", help="with --check: also compare the lock with its source"
    )
    add_format(parser)
    parser.add_argument_group("server").add_argument(
        "--header",
        action="append",
        default=[],
        metavar="NAME=VARIABLE",
        help="send this header to a URL, with the value of an environment variable (may be repeated)",
    )


def run(args: argparse.Namespace) -> bool:
    from toolgen.consuming.definitions import read_definitions
    from toolgen.consuming.lock import ClientLock
    from toolgen.consuming.package import plan_client, write_client

    folder = Path(args.start, args.out)
    definitions = read_definitions(args.source, args.start, args.header)
    lock = ClientLock(definitions.server, args.package, str(args.source), args.header, uses_in=args.uses)
    plan = plan_client(definitions, lock, folder)
    write_client(plan)
    emit(f"{count(len(plan.compiled.methods), 'tool')}, {count(len(plan.changes), 'file')} written")
    return True
