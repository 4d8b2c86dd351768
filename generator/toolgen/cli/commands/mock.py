"""Serve the specs over MCP before they are implemented: mock tools instead of implementations.

A call that matches an example gets its output or error; any other call gets a made-up answer that is valid
by the output schema. Changes of the specs are served at once. Needs no generated code. Without --http, the
server speaks MCP over stdin and stdout.
"""

from __future__ import annotations

import argparse

from toolgen.cli.exit_codes import ExitCode


def arguments(parser: argparse.ArgumentParser) -> None:
    from toolgen.runtime.adapters.mcp.command import add_server_flags

    parser.add_argument(
        "path",
        nargs="?",
        default=".",
        metavar="PATH",
        help="a project, a folder of specs, or one spec (default: the project here)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="NUMBER", help="other made-up answers")
    parser.add_argument(
        "--latency", type=float, default=0.0, metavar="SECONDS", help="wait before each answer (default: 0)"
    )
    parser.add_argument(
        "--fail",
        type=_rate,
        action="append",
        default=[],
        metavar="CODE=RATE",
        help="end this share of the calls, from 0 to 1, in an error (may be repeated)",
    )
    parser.add_argument(
        "--record",
        metavar="COMMAND|URL",
        help="pass calls on to this MCP server, and write its answers into the specs as examples",
    )
    add_server_flags(parser)


def run(args: argparse.Namespace) -> ExitCode:
    from toolgen.cli.mocking.server import serve_mock

    return serve_mock(args)


def _rate(text: str) -> tuple[str, float]:
    code, separator, rate = text.partition("=")
    try:
        return code, float(rate if separator else "1")
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not CODE=RATE, timeout=0.1 for example") from None
