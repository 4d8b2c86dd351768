"""Serve the generated tools over MCP: stdio, or streamable HTTP with --http.

Runs the same server as `python -m PACKAGE.mcp_server`, from any folder: with -C, PACKAGE and your
implementations are imported from there. Needs only toolgen[mcp].
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from toolgen.cli.exit_codes import ExitCode
from toolgen.cli.generated_server import generated_server
from toolgen.project import UnableError, find_configuration, find_project, find_root

RUNS_EVENT_LOOP = True


def arguments(parser: argparse.ArgumentParser) -> None:
    from toolgen.runtime.adapters.mcp.command import add_server_flags

    parser.add_argument(
        "package",
        nargs="?",
        metavar="PACKAGE",
        help="the generated package, for example shop.generated (default: the project's)",
    )
    add_server_flags(parser)


def run(args: argparse.Namespace) -> ExitCode:
    from toolgen.runtime.adapters.mcp.command import serve

    start = Path(os.path.realpath(args.start))
    if not start.is_dir():
        raise UnableError("usage", f"{args.start} is not a folder")
    package = args.package
    # a deployment may hold only the generated package and its implementations
    if package is None or find_configuration(find_root(start)):
        project = find_project(start)
        package, start = package or project.package, project.import_root
    sys.path.insert(0, str(start))
    module = generated_server(package, start)
    return ExitCode(serve(module.build_server, args))
