"""Create specs from existing tools: one file per tool, with everything that the source declares."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Any

from toolgen.cli.imports.common import check_implementations_setting
from toolgen.cli.parser import add_arguments

KINDS = {
    "mcp": "tools of an MCP server, from a file, a URL or a command",
    "fastmcp": "tools of a FastMCP 4 or MCPServer object in a Python module; --implement calls its functions",
    "openai": "function definitions of OpenAI Chat Completions or Responses",
    "openapi": "operations of an OpenAPI document; --implement also writes modules that call the API",
    "contracts": "specs that an installed package publishes; copied, and pinned in contracts.lock",
    "python": "Python functions, from their type hints and docstrings",
}

WORK = "importing tools"


def arguments(parser: argparse.ArgumentParser) -> None:
    parsers: dict[str, argparse.ArgumentParser] = {}
    parser.set_defaults(takes_command=True, kinds=parsers)
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True, prog=parser.prog)
    for kind, summary in KINDS.items():
        module = _module(kind)
        parsers[kind] = kinds.add_parser(kind, help=summary, description=module.__doc__)
        add_arguments(parsers[kind], module)


def run(args: argparse.Namespace) -> bool:
    # before anything is fetched or imported
    if getattr(args, "implement", False) and not getattr(args, "list", False):
        check_implementations_setting(args)
    done: bool = _module(args.kind).run(args)
    return done


def _module(kind: str) -> Any:
    return import_module(f"toolgen.cli.imports.{kind}")
