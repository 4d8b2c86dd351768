"""Create a spec for every tool of an MCP server. `toolgen export mcp` prints the same definitions again.

SOURCE is the URL of a server, a file (- for stdin) with tool definitions, or else a command that starts a
server: one quoted word, or everything after `--`. A file has a JSON-RPC response to `tools/list`, its result,
a list of tools, or one tool per line.

With --implement, calls of the tools are forwarded to the server, whose lists are pinned by a lock. Its
resources and prompts are served, too.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from toolgen.base.suggestions import count, quoted
from toolgen.changes.comparing.lock import lock_text
from toolgen.cli.imports import common
from toolgen.cli.output import say
from toolgen.cli.parser import add_flag, add_headers, add_repeated
from toolgen.language.package import Package
from toolgen.project import Project, UnableError
from toolgen.sources.forwarded_modules import upstream_name
from toolgen.sources.imported_tool import ImportedTool
from toolgen.sources.loading.implementations import upstream_modules
from toolgen.sources.loading.imported_specs import ImportContext, NewModules
from toolgen.sources.loading.source_content import source_errors
from toolgen.sources.mcp import OWNED, UPSTREAM, import_listed, import_mcp
from toolgen.sources.mcp_client import source_argument
from toolgen.sources.mcp_client.client import ServerAddress
from toolgen.sources.mcp_client.connection import list_server, list_tools
from toolgen.sources.python_server import forwarded


def arguments(parser: argparse.ArgumentParser) -> None:
    common.add_arguments(
        parser,
        "a URL, a file, - for stdin, or a command that starts a server",
        implement="implementations, which forward calls to the server, and its lock",
    )
    add_flag(parser, "--stdio", "SOURCE is a command, even if a file has its name")
    server = parser.add_argument_group("server")
    add_headers(server)
    add_repeated(
        server, "--env", "VARIABLE", "with --implement: a command gets this environment variable, too"
    )


def run(args: argparse.Namespace) -> bool:
    address = _address(args)
    if args.implement:
        return _implement(args, address)
    if address is not None:
        with source_errors():
            listed = list_tools(address)
        return common.run_import(args, _converted(listed, address.shown), OWNED)
    return common.run_import(args, common.converted(args, import_mcp), OWNED)


def _address(args: argparse.Namespace) -> ServerAddress | None:
    """Return where the server is; None for a file. Raises UnableError for options that do not fit."""
    is_command = args.stdio or isinstance(args.source, source_argument.CommandWords)
    if args.source == "-" and not is_command:
        found: source_argument.ServerSource | Path = Path("-")
    elif is_command:
        found = source_argument.ServerSource(str(args.source), is_command=True)
    else:
        found = source_argument.read_source(args.source, args.start)
    if isinstance(found, Path):
        if args.header or args.env:
            raise UnableError("usage", "--header and --env are for servers, and SOURCE is a file")
        return None
    for name in args.env:
        if not re.fullmatch(r"\w+", name, re.ASCII):
            raise UnableError("usage", f"--env {quoted(name)} is not the name of a variable")
    if args.env and not (found.is_command and args.implement):
        raise UnableError("usage", "--env is for a command with --implement", "a URL has --header")
    if found.is_command and not args.stdio and source_argument.is_missing_path(args.source, args.start):
        hint = "give a file, a URL, or a command that starts a server"
        raise UnableError("bad-source", f"cannot read {found.text}: no such file", hint)
    return ServerAddress.of(found, args.header)


def _converted(
    listed: Sequence[Any], name: str, upstream: str = ""
) -> Callable[[ImportContext], list[ImportedTool]]:
    """Return what converts the tools that a server lists."""

    return lambda context: import_listed(listed, name, context.names, context.left_out, upstream=upstream)


def _implement(args: argparse.Namespace, address: ServerAddress | None) -> bool:
    if address is None:
        raise UnableError(
            "usage", "--implement needs a server, and SOURCE is a file", "give a URL, or a command"
        )
    address.refuse_password("the module of the server")
    project = common.check_implementations_setting(args)
    with source_errors():
        listing = list_server(address, "importing from a server")
    upstream = upstream_name(project, listing.name, address.source, is_sync=args.sync)
    headers = {
        name: f"${{{variable}}}" for name, _, variable in (each.partition("=") for each in args.header)
    }
    env = {name: f"${{{name}}}" for name in args.env}

    def convert(context: ImportContext) -> list[ImportedTool]:
        return list(map(forwarded, _converted(listing.whole, address.shown, upstream)(context)))

    def implementations(project: Project, package: Package) -> NewModules:
        lock = lock_text(listing)
        return upstream_modules(
            project, package.tools, listing, address, lock=lock, module=upstream, headers=headers, env=env
        )

    done = common.run_import(args, convert, (*OWNED, UPSTREAM), implementations, upstream=upstream)
    say(f"calls are forwarded to {listing.label}; review its lock and commit it")
    others = {"resource": listing.resources, "resource template": listing.resource_templates}
    others |= {"prompt": listing.prompts, "skill": listing.skills}
    if served := ", ".join(count(len(found), noun) for noun, found in others.items() if found):
        say(f"served unchanged beside the tools, by the MCP server alone: {served}")
    return done
