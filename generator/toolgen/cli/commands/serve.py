"""Serve the generated tools over MCP: stdio, or streamable HTTP with --http.

Runs the same server as `python -m PACKAGE.mcp_server`, from any folder: with -C, PACKAGE and your
implementations are imported from there, and run there. What is out of date is generated first; over HTTP, at
a terminal only. Needs only toolgen[mcp], and generates nothing without toolgen[cli].
"""

from __future__ import annotations

import argparse
import os
import sys

from toolgen.cli.exit_codes import ExitCode
from toolgen.cli.generated_package import SERVER_HINT, add_frozen, add_package, find_package, working_folder
from toolgen.serving.command import add_server_flags, serve


def arguments(parser: argparse.ArgumentParser) -> None:
    add_package(parser)
    add_frozen(parser)
    add_server_flags(parser)


def run(args: argparse.Namespace) -> ExitCode:
    package = find_package(args, generates=not args.http or args.frozen or sys.stderr.isatty())
    if args.auth_tokens:  # named by the user, who need not be in the folder of -C
        args.auth_tokens = os.path.abspath(args.auth_tokens)
    with working_folder(args):
        is_address = ":" in package.name  # of `--http HOST:PORT`, as other servers take it
        hint = "name an address with --host and --port" if is_address else SERVER_HINT
        module = package.module("mcp_server", hint)
        return ExitCode(serve(module.build_server, args))
