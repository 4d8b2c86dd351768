"""Check that an MCP server still keeps what its lock file says: exit 1 if it does not.

SOURCE is the URL of a server, or a command that starts one: one quoted word, or everything after `--`.
`--init` writes the lock, toolgen.lock, with all that the server lists; review it and commit it. Later runs
compare: tools, resources, prompts and instructions. A text for models that changed fails, too. Needs no
project, and calls no tool.
"""

from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path

from toolgen.base.files import write_named
from toolgen.base.suggestions import count
from toolgen.changes.comparing.guard import judge_server
from toolgen.changes.comparing.lock import lock_text, read_lock
from toolgen.changes.comparing.sides import Judgement
from toolgen.cli.diagnostics import emit_findings, emit_report
from toolgen.cli.output import command_line, emit, emit_json, say
from toolgen.cli.parser import add_flag, add_format, add_headers
from toolgen.cli.report.entry import findings_report
from toolgen.cli.report.json import findings_data
from toolgen.cli.today import today
from toolgen.project import UnableError
from toolgen.project.files.reading import file_errors
from toolgen.sources.loading.source_content import read_source, source_errors
from toolgen.sources.mcp_client.client import ServerAddress
from toolgen.sources.mcp_client.connection import list_server
from toolgen.sources.mcp_client.listing import LISTS, Listing

LOCK = "toolgen.lock"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(takes_command=True)
    parser.add_argument("source", metavar="SOURCE", help="a URL, or a command that starts a server")
    add_flag(parser, "--init", "write the lock instead of comparing with it")
    add_flag(parser, "--force", "with --init: replace a lock")
    parser.add_argument("--lock", metavar="FILE", default=LOCK, help=f"the lock (default: {LOCK})")
    how = parser.add_mutually_exclusive_group()
    add_flag(how, "--strict", "fail for whatever changed, new tools and arguments included: for CI")
    add_flag(how, "--allow-texts", "do not fail if only texts that models read changed")
    add_format(parser, of_report=True)
    add_headers(parser.add_argument_group("server"))


def run(args: argparse.Namespace) -> bool:
    server = ServerAddress.parse(args.source, args.header)
    if args.force and not args.init:
        raise UnableError("usage", "--force is an option of --init")
    if args.init:
        if not args.force and os.path.lexists(Path(args.start, args.lock)):
            message = f"there is {args.lock} already, and it may pin what the server has changed since"
            hint = "compare first: without --init; then replace it: --force"
            raise UnableError("file-exists", message, hint)
        with source_errors():
            _write(list_server(server), args)
        return True
    content = _lock(args)
    with source_errors():
        lock = read_lock(content, args.lock)
        listing = list_server(server)
    judgement = judge_server(
        lock,
        listing,
        file=args.lock,
        text=content.decode(),
        today=today(),
        allow_texts=args.allow_texts,
        strict=args.strict,
    )
    _report(judgement, listing, server, args)
    return not judgement.failed


def _write(listing: Listing, args: argparse.Namespace) -> None:
    with file_errors(Path(args.start), "write", args.lock, code="cannot-write"):
        write_named(Path(args.start, args.lock), lock_text(listing).encode())
    counts = [
        count(len(getattr(listing, key)), key[:-1].replace("_", " "))
        for key in LISTS
        if key != "skills" or listing.skills
    ]
    emit(f"wrote {args.lock}: {listing.label}, {', '.join(counts)}")


def _lock(args: argparse.Namespace) -> bytes:
    """Return the content of the lock. Raises `UnableError`."""
    if not os.path.lexists(Path(args.start, args.lock)):
        message = f"there is no {args.lock}"
        raise UnableError("no-lock", message, "write it with --init, review it and commit it")
    return read_source(args.lock, args.start).data


def _report(judgement: Judgement, listing: Listing, server: ServerAddress, args: argparse.Namespace) -> None:
    if args.format == "json":
        findings, failed = findings_data(judgement.findings), len(judgement.failed)
        about = {"server": listing.name, "version": listing.version}
        emit_json({**about, "findings": findings, "failed": failed})
    elif args.format != "text":
        emit_report(findings_report("guard", judgement), args.format, args.start)
    else:
        say(f"{listing.label}: {emit_findings(judgement)}")
        if judgement.findings:
            say(f"if this is as it should be: {_accepting(server, args)}", f"then review {args.lock}")


def _accepting(server: ServerAddress, args: argparse.Namespace) -> str:
    """Return the command that replaces the lock."""
    lock = [] if args.lock == LOCK else ["--lock", args.lock]
    headers = [word for header in args.header for word in ("--header", header)]
    source = ["--", *shlex.split(server.source)] if server.is_command else [server.shown]
    return command_line(args, "guard", "--init", "--force", *lock, *headers, *source)
