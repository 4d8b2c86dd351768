"""Read the policy for changes that break: the section `[breaking]`, and the file of accepted changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from toolgen.base import KIB
from toolgen.base.suggestions import did_you_mean, quoted
from toolgen.changes.finding import Finding, Level
from toolgen.changes.policy import Acceptance, Policy
from toolgen.changes.table import CODES, SETTING_RULES
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.source import Span
from toolgen.project import UnableError
from toolgen.project.files.reading import read_text
from toolgen.project.inputs.configuration import MAX_KEYS, Project, Table, parse_toml
from toolgen.project.inputs.discovery import find_project

MAX_BYTES: Final = 256 * KIB
"""Maximum size of the file of accepted changes."""

_KEYS: Final = ("code", "tool", "reason", "pointer", "fingerprint", "expires")
_REQUIRED: Final = ("code", "tool", "reason")
_WITHOUT_TOOL: Final = frozenset(rule.code for rule in SETTING_RULES)
_HEADER: Final = re.compile(r"^[ \t]*\[\[\s*accept\s*\]\]", re.MULTILINE)


def read_policy(start: str) -> Policy:
    """Return the policy of the project at or above `start`. Raises `SpecErrors` with every fault in it."""
    return policy_of(find_project(Path(start)))


def policy_of(project: Project, entries: str = "") -> Policy:
    """Return the policy of a project, with further `entries` at the end of its file of accepted changes.

    Raises `SpecErrors` with every fault in it.
    """
    settings = project.breaking
    faults = [
        _unknown_code(project.place_in("breaking.levels", code), code)
        for code in settings.levels
        if code not in CODES
    ]
    if faults:
        raise SpecErrors(faults)
    text = read_text(project.root, settings.accept, limit=MAX_BYTES)
    # the default file need not be there: then nothing is accepted
    if text is None and settings.is_accept_set:
        message = f"there is no file {settings.accept}"
        raise UnableError("unreadable-file", message, f"create it, or correct 'accept' in {project.file}")
    text = f"{text or ''}\n{entries}" if entries else text or ""
    return Policy(
        level=Level(settings.level),
        is_semver=settings.versions == "semver",
        levels={code: Level(level) for code, level in settings.levels.items()},
        acceptances=parse_acceptances(settings.accept, text),
        texts={settings.accept: text},
    )


def entries_text(findings: Iterable[Finding], reason: str) -> str:
    """Return entries that accept findings for a reason, which is printable text.

    The fingerprint is in them, so that a later change at the same place is not accepted, too.
    """
    entries = []
    for each in findings:
        values = {"code": each.code, "tool": each.tool, "pointer": each.pointer}
        values |= {"fingerprint": each.fingerprint, "reason": reason}
        # in printable text, a string of JSON is one of TOML
        lines = [
            f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
            for key, value in values.items()
            if value and value.isprintable()
        ]
        entries.append("".join(("[[accept]]\n", *lines)))
    return "\n".join(entries)


def parse_acceptances(file: str, text: str) -> tuple[Acceptance, ...]:
    """Return the entries of a file of accepted changes. Raises `SpecErrors` with every fault in it."""
    # some editors write a byte order mark, which TOML does not know
    data = parse_toml(file, text.removeprefix("\ufeff"))
    top = Table(file, text, "", data)
    hint = "entries begin with [[accept]]"
    faults = [
        Diagnostic(top.key(key), "unknown-setting", f"unknown setting {quoted(key)}", hint)
        for key in islice(data, MAX_KEYS)
        if key != "accept"
    ]
    entries = data.get("accept", [])
    if not (isinstance(entries, list) and all(isinstance(each, dict) for each in entries)):
        message = "'accept' must be a list of tables: [[accept]]"
        raise SpecErrors([*faults, Diagnostic(top.key("accept"), "invalid-setting", message)])
    found: list[Acceptance] = []
    for table in _tables(top, entries):
        wrong = list(_faults(table))
        faults += wrong
        if not wrong:
            expires = _day(table.data.get("expires"))
            found.append(Acceptance(**{"tool": "", **table.data, "expires": expires}, span=_place(table)))
    if faults:
        raise SpecErrors(faults)
    return tuple(found)


def _tables(top: Table, entries: Sequence[dict[str, Any]]) -> Iterator[Table]:
    """Yield each entry as a table with the text from its header to the next one; inline, without text."""
    starts = [found.start() for found in _HEADER.finditer(top.text)]
    line, before, inline = 1, 0, top.key("accept").line
    for number, entry in enumerate(entries):
        if number >= len(starts):
            yield Table(top.file, "", "", entry, inline)
            continue
        line += top.text.count("\n", before, starts[number])
        before = starts[number]
        own = top.text[before : starts[number + 1] if number + 1 < len(starts) else len(top.text)]
        yield Table(top.file, _HEADER.sub("", own), "", entry, line)


def _place(table: Table) -> Span:
    """Return the place of an entry: of its code."""
    return table.key("code") if "code" in table.data else table.key(next(iter(table.data), ""))


def _faults(table: Table) -> Iterator[Diagnostic]:
    for key in _REQUIRED:
        if key not in table.data and not (key == "tool" and _needs_no_tool(table.data)):
            message = f"an accepted change needs {quoted(key)}"
            yield Diagnostic(_place(table), "invalid-setting", message, "it has a code, a tool and a reason")
    for key, value in islice(table.data.items(), MAX_KEYS):
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS) or f"the settings are {', '.join(_KEYS)}"
            yield Diagnostic(table.key(key), "unknown-setting", f"unknown setting {quoted(key)}", hint)
        elif key == "expires":
            if _day(value) is None:
                message = "'expires' must be a date: 2027-01-31"
                yield Diagnostic(table.key(key), "invalid-setting", message)
        elif not isinstance(value, str) or not value.strip():
            yield Diagnostic(table.key(key), "invalid-setting", f"{quoted(key)} must be a string")
        elif key == "code" and value not in CODES:
            yield _unknown_code(table.value(key, value), value)
        elif key == "pointer" and not (value.startswith("/") or ("tool" not in table.data and "#/" in value)):
            message = "'pointer' must be a JSON Pointer, as findings show it with --format json"
            yield Diagnostic(table.value(key, value), "invalid-setting", message)


def _needs_no_tool(entry: dict[str, Any]) -> bool:
    """True for a setting, and for an edit of a shared file that the entry names."""
    return entry.get("code") in _WITHOUT_TOOL or "fingerprint" in entry or "#/" in str(entry.get("pointer"))


def _unknown_code(span: Span, code: str) -> Diagnostic:
    hint = did_you_mean(code, CODES) or "`toolgen explain` lists all codes"
    return Diagnostic(span, "unknown-setting", f"there is no rule {quoted(code)}", hint)


def _day(value: object) -> date | None:
    """Return a day, written as a date of TOML or as text."""
    # a datetime is a date, too, and says more than was asked
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
