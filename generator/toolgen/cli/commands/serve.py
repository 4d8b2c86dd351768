"""Serve the generated tools over MCP: stdio, or streamable HTTP with --http.

Runs the same server as `python -m PACKAGE.mcp_server`, from any folder: with -C, PACKAGE and your
implementations are imported from there. Needs only toolgen[mcp].
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from toolgen.cli.exit_codes import ExitCode
from toolgen.project import UnableError, find_configuration, find_project, find_root

RUNS_EVENT_LOOP = True
_PACKAGE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


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
    module = _server_module(package, start)
    return ExitCode(serve(module.build_server, args))


def _server_module(package: str, folder: Path) -> Any:
    """Import the generated module of the server. Raises `UnableError` if there is none."""
    name = f"{package}.mcp_server"
    try:
        found = _PACKAGE.fullmatch(package) is not None and find_spec(name) is not None
    except (ModuleNotFoundError, ValueError) as error:
        # another module that is missing is an error of the code, and keeps its traceback
        if isinstance(error, ModuleNotFoundError) and not f"{name}.".startswith(f"{error.name}."):
            raise
        found = False
    if not found:
        message = f"there is no module {name} in {folder}"
        hint = (
            "run `toolgen generate` with the target mcp, or name the generated package: toolgen serve PACKAGE"
        )
        raise UnableError("not-generated", message, hint)
    return import_module(name)
