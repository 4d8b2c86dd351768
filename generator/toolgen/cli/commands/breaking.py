"""Compare the specs with another version: exit 1 if a change breaks callers or code, with an example.

The other version is a git ref, a folder of specs or a project, a file that `toolgen export` printed, the URL
of an MCP server, or a command that starts one (quoted, or after `--`). Requests of callers that know it must
still be accepted, and responses must be what they know. Runs no code of the project.
"""

from __future__ import annotations

import argparse

from toolgen.base.suggestions import count, did_you_mean
from toolgen.changes.comparing.sides import Threshold, accept, judge
from toolgen.changes.finding import Category
from toolgen.cli.diagnostics import emit_findings, emit_report
from toolgen.cli.output import emit, emit_json, say
from toolgen.cli.parser import add_against, add_choice, add_flag, add_format, add_repeated
from toolgen.cli.report.entry import consumers_report, findings_report
from toolgen.cli.report.json import findings_data
from toolgen.cli.today import today
from toolgen.project import UnableError
from toolgen.upstream.consumers.drift import judge_consumers

_LEVELS = ("error", "warning", "info")
_CATEGORIES = ("wire", "source", "safety", "agent", "impl")

WORK = "comparing with the other version"


def arguments(parser: argparse.ArgumentParser) -> None:
    add_against(parser, "the version to compare with")
    add_repeated(
        parser,
        "--consumers",
        "PATH",
        "instead of --against: a lock of `toolgen client`, or a folder that has some",
    )
    add_choice(parser, "--level", _LEVELS, "the level that fails (default: as configured, or error)")
    parser.add_argument(
        "--category",
        metavar="LIST",
        default=",".join(_CATEGORIES),
        help=f"whom a finding must concern: some of {', '.join(_CATEGORIES)} (default: all)",
    )
    add_flag(parser, "--allow-unanalysed", "do not fail if a change could not be decided")
    parser.add_argument(
        "--accept", metavar="CODE", help="accept what fails under this code: write it to breaking.toml"
    )
    parser.add_argument("--reason", metavar="TEXT", help="why it is accepted, for --accept")
    add_format(parser, of_report=True)


def run(args: argparse.Namespace) -> bool:
    if (args.accept is None) != (args.reason is None):
        raise UnableError("usage", "--accept and --reason belong together", "--accept CODE --reason TEXT")
    if args.reason is not None and not (args.reason.isprintable() and args.reason.strip()):
        raise UnableError("usage", "--reason must be one line of text", "say why the change is acceptable")
    if args.consumers:
        return _of_consumers(args)
    if args.against is None:
        hint = "for example toolgen breaking --against main, or --consumers PATH for those who call the tools"
        raise UnableError("usage", "--against is missing", hint)
    threshold = Threshold(_categories(args.category), args.level, args.allow_unanalysed)
    if args.accept is None:
        judgement = judge(args.against, args.start, threshold, today=today())
    else:
        judgement = accept(
            args.against, args.start, threshold, code=args.accept, reason=args.reason, today=today()
        )
    if args.format == "json":
        data = {"against": args.against, "findings": findings_data(judgement.findings)}
        emit_json({**data, "failed": len(judgement.failed)})
    elif args.format != "text":
        emit_report(findings_report("breaking", judgement), args.format, args.start)
    else:
        say(*(f"toolgen: {note}" for note in judgement.notes))
        say(emit_findings(judgement))
    return not judgement.failed


def _of_consumers(args: argparse.Namespace) -> bool:
    """Report which consumers the specs break, each with its findings."""
    for flag, value in (("--against", args.against), ("--accept", args.accept)):
        if value is not None:
            raise UnableError("usage", f"--consumers and {flag} exclude each other")
    judged = judge_consumers(args.start, args.consumers, today=today())
    broken = [each for each in judged if each.judgement.failed]
    if args.format == "json":
        data = [
            {
                "lock": each.file,
                "package": each.package,
                "breaks": bool(each.judgement.failed),
                "findings": findings_data(each.judgement.findings),
            }
            for each in judged
        ]
        emit_json({"consumers": data})
        return not broken
    if args.format != "text":
        emit_report(consumers_report(broken), args.format, args.start)
        return not broken
    for each in judged:
        verdict = "breaks" if each.judgement.failed else "does not break"
        others = f"; {count(each.unconcerned, 'change')} of what it does not use" if each.unconcerned else ""
        emit(f"{each.file} ({each.package}): {verdict}{others}")
        if each.judgement.failed:
            emit_findings(each.judgement)
    say(f"{count(len(broken), 'consumer')} of {len(judged)} would break")
    return not broken


def _categories(text: str) -> frozenset[Category]:
    names = [name for part in text.split(",") if (name := part.strip())]
    for name in names:
        if name not in _CATEGORIES:
            hint = did_you_mean(name, _CATEGORIES) or f"the categories are {', '.join(_CATEGORIES)}"
            raise UnableError("usage", f"unknown category '{name}'", hint)
    return frozenset(Category(name) for name in names)
