"""Create a spec for every tool of a FastMCP 4 server, or of the MCP SDK's own `MCPServer`.

SOURCE is MODULE:SERVER, the name of the server object in a module, or in a file: path/to/module.py:mcp.
The module is imported, which runs its code: use this only with code that you trust. It runs in a child
process, with the Python interpreter of toolgen, for at most one minute. The server is not started.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from toolgen.base.suggestions import count
from toolgen.cli.imports import common
from toolgen.cli.output import say
from toolgen.language.package import Package
from toolgen.project import Project
from toolgen.sources.imported_tool import ImportedTool
from toolgen.sources.loading.implementations import describe_server, server_modules
from toolgen.sources.loading.imported_specs import ImportContext, NewModules
from toolgen.sources.loading.source_content import source_errors
from toolgen.sources.python_server import OWNED, ServerDescription, import_server, other_features


def arguments(parser: argparse.ArgumentParser) -> None:
    common.add_arguments(
        parser,
        "MODULE:SERVER, or a Python file and the server in it",
        implement="implementations, which call the server's functions",
    )


def run(args: argparse.Namespace) -> bool:
    with source_errors():
        server = describe_server(args.source, Path(os.path.realpath(args.start)))

    def convert(context: ImportContext) -> list[ImportedTool]:
        return import_server(server, context.names)

    def implementations(project: Project, package: Package) -> NewModules:
        return server_modules(project, package.tools, server)

    done = common.run_import(args, convert, OWNED, implementations if args.implement else None)
    _report(server, implemented=args.implement)
    return done


def _report(server: ServerDescription, *, implemented: bool) -> None:
    """Print what toolgen serves from now on, and what it does not."""
    package = f"{server.framework} {server.framework_version}"
    say(f"{server.module} was imported in a child process, which ran its code ({package})")
    tools = count(len(server.tools), "tool")
    if implemented:
        say(f"{tools} of {server.origin}: served by toolgen, and called as functions of that server")
    features = other_features(server)
    if implemented and features:
        say(f"served unchanged beside the tools, by the MCP server alone: {', '.join(features)}")
    if stays := [*([] if implemented else features), *server.stays]:
        say(f"not imported, and served by {server.origin} alone: {', '.join(stays)}")
    settings = {"name": server.name, "version": server.version, "instructions": server.instructions}
    written = (f"  {key} = {json.dumps(value)}" for key, value in settings.items() if value)
    say("to keep what the server says of itself, set this below `server` in the configuration:", *written)
