"""Serve the generated tools over MCP: stdio, or streamable HTTP with --http.

Runs the same server as `python -m PACKAGE.mcp_server`, from any folder: with -C, PACKAGE and your
implementations are imported from there, and run there. What is out of date is generated first; over HTTP, at
a terminal only. Needs only toolgen[mcp], and generates nothing without toolgen[cli].
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial

from toolgen.cli.exit_codes import ExitCode
from toolgen.cli.fresh_output import add_frozen, bring_up_to_date, is_frozen
from toolgen.cli.generated_package import SERVER_HINT, add_package, find_package, working_folder


def arguments(parser: argparse.ArgumentParser) -> None:
    from toolgen.serving.command import add_server_flags

    add_package(parser)
    add_frozen(parser)
    add_server_flags(parser)


def run(args: argparse.Namespace) -> ExitCode:
    from toolgen.serving.command import serve

    may_generate = not args.http or is_frozen(args) or sys.stderr.isatty()
    prepare = partial(bring_up_to_date, args=args, serves=True) if may_generate else None
    package = find_package(args.start, args.package, prepare)
    if args.auth_tokens:  # named by the user, who need not be in the folder of -C
        args.auth_tokens = os.path.abspath(args.auth_tokens)
    with working_folder(args):
        module = package.module("mcp_server", SERVER_HINT)
        return ExitCode(serve(module.build_server, args))
