"""Print what changed in the contracts of the tools between two commits, as Markdown for people.

RANGE is A..B, or A for all changes since A, those in the work tree included. Each tag between them has a
section of its own. Runs no code of the project.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from toolgen.base.escaping.places import markdown_code, markdown_text
from toolgen.base.suggestions import listed
from toolgen.changes.comparing.history import LeftOut, Release, read_releases
from toolgen.changes.finding import Category, Finding, Level
from toolgen.changes.policy import UNANALYSED
from toolgen.cli.output import emit, emit_json, say
from toolgen.cli.parser import add_choice
from toolgen.cli.report.json import findings_data
from toolgen.cli.today import today


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("range", metavar="RANGE", help="A..B, or A for A..work tree; each a git ref")
    forms = ("markdown", "json")
    add_choice(parser, "--format", forms, "output format (default: markdown)", default="markdown")


def run(args: argparse.Namespace) -> bool:
    releases: list[Release] = []
    for each in read_releases(args.range, args.start, today=today()):
        if isinstance(each, LeftOut):
            say(f"toolgen: {each.title} is left out, its specs cannot be read: {each.error}")
        else:
            releases.append(each)
    if args.format == "json":
        data = [
            {
                "title": each.title,
                "date": each.date or None,
                "versions": dict(each.versions),
                "findings": findings_data(each.findings),
            }
            for each in releases
        ]
        emit_json({"range": args.range, "releases": data})
    else:
        emit(*as_markdown(args.range, releases).splitlines())
    return True


_MAX_WITNESS: Final = 80  # characters
_SETTINGS: Final = "settings of the project"
_OF_WHOLE_SCHEMAS: Final = frozenset(("request-widened", "response-narrowed"))
_GROUPS: Final[Mapping[str, Callable[[Finding], bool]]] = {
    # accepted ones, too: those who call the tools have to know
    "Breaking": lambda each: each.level is Level.ERROR and each.code != UNANALYSED,
    "Not decided": lambda each: each.code == UNANALYSED,
    "Deprecated": lambda each: each.code in ("deprecation-changed", "property-deprecated", "sunset-earlier"),
    "Added": lambda each: "added" in each.code.split("-"),
    "Removed": lambda each: "removed" in each.code.split("-") or "lost" in each.code.split("-"),
    "Texts that models read": lambda each: each.category is Category.AGENT,
    "Changed": lambda _: True,
}
"""Heading → which findings it has, each only under the first that fits."""


def as_markdown(title: str, releases: Sequence[Release]) -> str:
    """Return a changelog, the newest release first."""
    return "\n".join(["# Changes of tools", *_releases(title, releases)]) + "\n"


def _releases(title: str, releases: Sequence[Release]) -> Iterator[str]:
    changed = [each for each in releases if each.findings]
    if not changed:
        yield from ("", f"No tool changed: {markdown_code(title)}.")
    for release in reversed(changed):
        date = f" - {release.date}" if release.date else ""
        yield from ("", f"## {markdown_text(release.title)}{date}")
        left = _without_consequences(release.findings)
        for heading, fits in _GROUPS.items():
            # each finding stands under one heading only
            own = [each for each in left if fits(each)]
            left = [each for each in left if not fits(each)]
            if own:
                yield from ("", f"### {heading}", "", *_of_tools(own, release.versions))


def _without_consequences(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings without those that say of a whole schema what others say of its parts."""
    said = {
        (tool, each.direction)
        for each in findings
        if each.code not in _OF_WHOLE_SCHEMAS
        for tool in each.all_tools
    }
    return [
        each
        for each in findings
        if each.code not in _OF_WHOLE_SCHEMAS
        or any((tool, each.direction) not in said for tool in each.all_tools)
    ]


def _of_tools(findings: Iterable[Finding], versions: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each finding, below its tool if that has several."""
    for tools, group in groupby(sorted(findings, key=_tools), key=_tools):
        own = list(dict.fromkeys(map(_in_words, group)))
        (tool, *others) = tools
        version = f" ({markdown_text(versions[tool])})" if tool in versions and not others else ""
        head = f"- {_subject(tools)}{version}"
        if len(own) == 1:
            yield f"{head}: {own[0]}"
        else:
            yield head
            yield from (f"  - {each}" for each in own)


def _tools(finding: Finding) -> tuple[str, ...]:
    """Return the tools of a finding; the empty name for one about settings."""
    return finding.all_tools or ("",)


def _subject(tools: tuple[str, ...]) -> str:
    """Return names of tools as code; the empty name is that of findings about settings."""
    if tools == ("",):
        return _SETTINGS
    return listed(list(map(markdown_code, tools)))


def _in_words(finding: Finding) -> str:
    words = markdown_text(finding.message)
    if finding.direction is not None and finding.direction.value not in finding.message:
        words = f"{finding.direction.value}: {words}"
    if finding.witness is not None:
        value = json.dumps(finding.witness.value, ensure_ascii=False)
        shown = value if len(value) <= _MAX_WITNESS else f"{value[:_MAX_WITNESS]}…"
        was = "was valid" if finding.witness.accepted_by == "old" else "is valid now"
        words += f"; {markdown_code(shown)} {was}"
    return f"{words} (accepted: {markdown_text(finding.accepted)})" if finding.accepted else words
