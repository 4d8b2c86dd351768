"""Write a typed client of an MCP server: a package in Python or TypeScript with one method for each tool.

SOURCE is a project or a folder of specs, a file that `toolgen export mcp` printed, the URL of a server, or a
command that starts one: one quoted word, or everything after `--`. The default is the source of the lock,
unless that is a command. The package needs toolgen[mcp], in TypeScript @modelcontextprotocol/sdk, and nothing
of the server. toolgen.lock, beside it, holds the definitions that it was generated from.

--check compares the package with its lock: exit 1 and a diff if one of them was changed. With --upstream, the
lock is also compared with what the source has today: exit 1 if that breaks the client, or if a text that
models read has changed.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from toolgen.base.suggestions import count, quoted
from toolgen.changes.comparing.lock import NAME
from toolgen.changes.comparing.source_definitions import find_source
from toolgen.cli.diagnostics import emit_findings, emit_report
from toolgen.cli.output import emit, emit_json, say
from toolgen.cli.parser import add_choice, add_flag, add_format, add_headers, add_repeated
from toolgen.cli.report.entry import client_report
from toolgen.cli.report.json import findings_data
from toolgen.cli.report.text import diff_of_change
from toolgen.cli.today import today
from toolgen.project import UnableError, find_root, locate
from toolgen.sources.mcp_client.client import ServerAddress
from toolgen.sources.mcp_client.source_argument import ServerSource
from toolgen.upstream.consumers.definitions import read_definitions
from toolgen.upstream.consumers.drift import ConsumerJudgement, judge_upstream
from toolgen.upstream.consumers.lock import PYTHON, ClientLock
from toolgen.upstream.consumers.package import ClientPlan, plan_client, read_existing_lock, write_client

WORK = "comparing with the client"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(takes_command=True)
    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs="?",
        help="a folder of specs, a file, a URL, or a command (default: as in the lock, but no command)",
    )
    parser.add_argument(
        "--out", metavar="DIR", default=".", help="the folder for the package and its lock (default: .)"
    )
    parser.add_argument("--package", metavar="NAME", help="the name of the package: shop has ShopClient")
    add_choice(parser, "--language", ("python", "typescript"), "default: as in the lock, or python")
    add_repeated(
        parser, "--uses", "PATH", "Python code that calls the client, below DIR: the lock says what it uses"
    )
    add_flag(parser, "--check", "write nothing; fail if something would change")
    add_format(parser, of_report=True)
    server = parser.add_argument_group("server")
    add_flag(server, "--upstream", "with --check: also compare the lock with its source")
    add_headers(server)


def run(args: argparse.Namespace) -> bool:
    locate(find_root(Path(args.start)), Path(args.start), args.out)  # refuses a link that leaves the project
    folder = Path(args.start, args.out)
    lock = read_existing_lock(folder, args.out)
    if args.upstream and not args.check:
        raise UnableError("usage", "--upstream is an option of --check")
    if args.check:
        if lock is None:
            message = f"there is no lock of a client in {args.out}"
            raise UnableError("no-lock", message, "write one: toolgen client SOURCE --out DIR --package NAME")
        return _check(args, folder, lock)
    return _write(args, folder, lock)


def _write(args: argparse.Namespace, folder: Path, old: ClientLock | None) -> bool:
    source = _source(args, old)
    package: str | None = args.package or (old.package if old else None)
    if source is None or package is None:
        missing = "SOURCE" if source is None else "--package"
        raise UnableError("usage", f"{missing} is missing", "for example toolgen client specs --package shop")
    if old is not None and old.package != package:
        message = f"{args.out} has the client {old.package}, and a lock is of one client"
        raise UnableError("file-exists", message, "give each client a folder: --out DIR")
    found = find_source(source, args.start)
    if isinstance(found, ServerSource):
        ServerAddress.of(found, args.header).refuse_password(NAME)
    definitions = read_definitions(source, args.start, args.header)
    uses = args.uses or (old.uses_in if old else [])
    language = args.language or (old.language if old else PYTHON)
    lock = ClientLock(
        listing=definitions.server,
        package=package,
        source=str(source),
        uses_in=uses,
        language=language,
    )
    plan = plan_client(definitions, lock, folder)
    write_client(plan)
    say(*(f"  {note}" for note in plan.notes))
    if args.format == "json":
        emit_json({"tools": len(plan.compiled.methods), "written": [each.path for each in plan.all_changes]})
    else:
        methods, changes = plan.compiled.methods, plan.all_changes
        emit(f"{count(len(methods), 'tool')} in {package}, {count(len(changes), 'file')} written")
    return True


def _source(args: argparse.Namespace, lock: ClientLock | None) -> str | None:
    """Return SOURCE, or that of the lock. Who edits a lock starts no command, and gets no header."""
    if args.source or lock is None:
        return args.source or None
    found = find_source(lock.source, args.start)
    if isinstance(found, ServerSource) and (found.is_command or args.header):
        what = "a command" if found.is_command else "the address that headers are sent to"
        message = f"{what} is not taken from a lock, which has {quoted(lock.source)}"
        raise UnableError("usage", message, "give SOURCE, after the options; a command after --")
    return lock.source


def _check(args: argparse.Namespace, folder: Path, lock: ClientLock) -> bool:
    if args.uses:
        lock = lock.model_copy(update={"uses_in": args.uses})
    plan = plan_client(lock.definitions, lock, folder)
    judged = _judge_upstream(args, plan.lock) if args.upstream else None
    _report(args, plan, judged)
    return not plan.all_changes and not (judged and judged.judgement.failed)


def _judge_upstream(args: argparse.Namespace, lock: ClientLock) -> ConsumerJudgement:
    definitions = read_definitions(
        _source(args, lock) or lock.source, args.start, args.header, needs_specs=False
    )
    file = f"{args.out.rstrip('/')}/{NAME}".removeprefix("./")
    return judge_upstream(lock, definitions, file=file, text=lock.as_text(), today=today())


def _report(args: argparse.Namespace, plan: ClientPlan, judged: ConsumerJudgement | None) -> None:
    judgement = judged.judgement if judged else None
    changes, findings = plan.all_changes, judgement.findings if judgement else ()
    if args.format == "json":
        stale = [{"kind": each.kind.value, "path": each.path} for each in changes]
        data = {"package": plan.lock.package, "changes": stale, "clean": not changes}
        upstream = {"findings": findings_data(findings), "failed": len(judgement.failed)} if judgement else {}
        emit_json({**data, **upstream})
        return
    if args.format != "text":
        emit_report(client_report(changes, judgement), args.format, args.start)
        return
    emit(*(f"{each.kind} {each.path}" for each in changes))
    for each in changes:
        emit(*diff_of_change(each))
    if changes:
        say("to fix it: toolgen client, with the same --out")
    if judged is not None and judgement is not None:
        others = f"; {count(judged.unconcerned, 'change')} of what is not used" if judged.unconcerned else ""
        say(f"upstream: {emit_findings(judgement)}{others}")
        if judgement.failed:
            say("if this is as it should be: toolgen client, with the same --out, and review the lock")
    if not changes:
        methods = plan.compiled.methods
        say(f"clean: {count(len(methods), 'tool')}, {count(len(plan.compiled.files), 'file')}")
