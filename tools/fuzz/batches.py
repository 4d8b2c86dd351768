"""Generate many hostile specs at once, and inspect the output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tools.fuzz.cases import Case, Written, written
from tools.fuzz.findings import Finding, Tally
from tools.fuzz.planted import ENVIRONMENT
from tools.fuzz.project import FOREIGN, Project, Ran, project

PART = "text"
_ROOT = Path(__file__).parents[2]
_SECRETS = (FOREIGN, "root:x:0:0")
_ROUNDS = 15  # of removing what is refused
_INSPECTION = 300.0  # seconds


@dataclass(frozen=True, slots=True)
class _Entry:
    """A case in a project, and its files."""

    case: Case
    one: Written
    files: Mapping[str, str]  # below the specs folder


@dataclass(slots=True)
class Outcome:
    """The result of a batch."""

    tally: Tally = field(default_factory=Tally)
    again: list[Case] = field(default_factory=list)  # to be tried in smaller parts, or in another batch
    accepted: list[Case] = field(default_factory=list)
    refused: list[Case] = field(default_factory=list)


def run_batch(cases: Sequence[Case]) -> Outcome:
    """Generate the cases and inspect what is accepted."""
    outcome = Outcome()
    with project() as here:
        entries = _accepted(here, _entries(cases), outcome)
        if entries:
            _check_output(here, entries, outcome)
    return outcome


def _entries(cases: Iterable[Case]) -> list[_Entry]:
    """Return the cases as files; of two with the same name, the later one gets a number as its name."""
    made: list[_Entry] = []
    names: set[str] = set()
    for number, case in enumerate(cases):
        one = written(case, number)
        if one.name in names:
            one = replace(one, name=f"t{number}", spec={**one.spec, "name": f"t{number}"})
        names.add(one.name)
        made.append(_Entry(case, one, one.files(case.file or f"s{number}")))
    return made


def _accepted(here: Project, entries: list[_Entry], outcome: Outcome) -> list[_Entry]:
    """Write the entries and remove refused ones until the rest is generated."""
    for entry in entries:
        for path, text in entry.files.items():
            here.write(f"specs/{path}", text)
    for _ in range(_ROUNDS):
        if not entries:
            return []
        ran = here.toolgen("generate", "--format", "json")
        if ran.code == 0:
            return entries
        if ran.code not in (1, 2):
            return _divided(entries, outcome, f"exit {ran.code}", ran.err[-2000:])
        if controls := here.toolgen("generate").controls():
            return _divided(entries, outcome, "terminal", f"stderr has {', '.join(controls)}")
        codes = _refused(ran, entries)
        if not codes:
            return _divided(entries, outcome, None, ran.out[:2000])
        for entry in entries:
            if entry.one.name in codes:
                _take_out(here, entry, outcome, alone=len(entries) == 1, codes=codes[entry.one.name])
        entries = [entry for entry in entries if entry.one.name not in codes]
    return _divided(entries, outcome, "endless", f"still refused after {_ROUNDS} rounds")


def _divided(entries: list[_Entry], outcome: Outcome, kind: str | None, detail: str) -> list[_Entry]:
    """Schedule smaller parts of the entries. A single one is a finding, or refused if `kind` is None."""
    if len(entries) > 1:
        outcome.again += [replace(entry.case, company=len(entries) // 2) for entry in entries]
    elif len(entries[0].case.places) > 1:
        outcome.again += entries[0].case.halves()
    elif kind is None:
        outcome.refused.append(entries[0].case)
    else:
        outcome.tally.findings.append(finding(kind, detail, entries[0].case))
    return []


def _take_out(here: Project, entry: _Entry, outcome: Outcome, *, alone: bool, codes: set[str]) -> None:
    for path in entry.files:
        (here.root / "specs" / path).unlink()
    if len(entry.case.places) > 1:
        outcome.again += entry.case.halves()
    elif not alone and any("collision" in code or "duplicate" in code for code in codes):
        outcome.again.append(replace(entry.case, company=1))
    else:
        outcome.refused.append(entry.case)


def _refused(ran: Ran, entries: Sequence[_Entry]) -> dict[str, set[str]]:
    """Return the tools in the diagnostics, with the codes."""
    owners = {f"specs/{path}": entry.one.name for entry in entries for path in entry.files}
    found: dict[str, set[str]] = {}
    for fault in ran.data()["diagnostics"]:
        if name := owners.get(str(fault.get("file"))):
            found.setdefault(name, set()).add(fault["code"])
    return found


def _check_output(here: Project, entries: list[_Entry], outcome: Outcome) -> None:
    """Check the output: as text and as a package."""
    faults = _inspected(here, entries, outcome.tally)
    faults += _leaked(here, entries)
    if controls := here.toolgen("check").controls():
        faults.append({"tool": "", "kind": "terminal", "detail": f"stderr has {', '.join(controls)}"})
    by_name = {entry.one.name: entry.case for entry in entries}
    if not faults:
        outcome.accepted += [entry.case for entry in entries]
    elif len(entries) > 1 and not any(fault["tool"] in by_name for fault in faults):
        _divided(entries, outcome, None, "")  # to find the responsible one
    else:
        named = [(by_name.get(fault["tool"], entries[0].case), fault) for fault in faults]
        outcome.tally.findings += [finding(fault["kind"], fault["detail"], case) for case, fault in named]
        bad = [case for case, _ in named]
        outcome.accepted += [entry.case for entry in entries if entry.case not in bad]


def _inspected(here: Project, entries: Sequence[_Entry], tally: Tally) -> list[dict[str, str]]:
    cases = {
        entry.one.name: {"spec": entry.one.spec, "shared": entry.one.shared, "text": entry.case.text}
        for entry in entries
    }
    done = subprocess.run(
        [sys.executable, "-m", "tools.fuzz.inspect_project", str(here.root)],
        cwd=_ROOT,
        env={**os.environ, ENVIRONMENT: ""},
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=_INSPECTION,
        check=False,
    )
    if done.returncode != 0:
        return [{"tool": "", "kind": "broken", "detail": done.stderr[-2000:]}]
    seen = json.loads(done.stdout)
    tally.counts["calls"] += seen["called"]
    tally.counts["files read"] += seen["files"]
    faults: list[dict[str, str]] = seen["faults"]
    return faults


def _leaked(here: Project, entries: Sequence[_Entry]) -> list[dict[str, str]]:
    """Return generated files with contents of a file outside the project."""
    faults = []
    for file in sorted(here.root.glob("generated/**/*.py")):
        if any(words in file.read_text(encoding="utf-8") for words in _SECRETS):
            by_module = {each.one.name: each.one.name for each in entries}
            path = file.relative_to(here.root / "generated").as_posix()
            name = by_module.get(file.stem, "") if "/" in path else ""
            faults.append({"tool": name, "kind": "leaked", "detail": f"{path} has another file's words"})
    return faults


def finding(kind: str, detail: str, case: Case) -> Finding:
    """Return a finding with the case as its reproduction."""
    return Finding(PART, kind, detail, case.as_data())
