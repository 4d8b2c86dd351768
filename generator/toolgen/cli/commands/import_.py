"""Write specs for tools that exist already, one file each; nothing that their source says is lost.

mcp      tools of an MCP server
openai   functions as Chat Completions and Responses have them
openapi  operations of an HTTP API, and with --implement what calls them
python   functions of Python, by their type hints and docstrings
"""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Any

KINDS = {
    "mcp": "tools of an MCP server",
    "openai": "functions as Chat Completions and Responses have them",
    "openapi": "operations of an HTTP API, and with --implement what calls them",
    "python": "functions of Python, by their type hints and docstrings",
}


def arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True, prog=parser.prog)
    for kind, does in KINDS.items():
        module = _module(kind)
        inner = kinds.add_parser(
            kind,
            help=does,
            description=module.__doc__,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        inner.add_argument(
            "-C", dest="start", metavar="DIR", default=argparse.SUPPRESS, help="work in this folder"
        )
        module.arguments(inner)


def run(args: argparse.Namespace) -> bool:
    done: bool = _module(args.kind).run(args)
    return done


def _module(kind: str) -> Any:
    return import_module(f"toolgen.cli.importing.{kind}")
