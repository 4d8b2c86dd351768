"""Cases of rules: `tests/cases/breaking/<code>/`.

- `old.yaml` and `new.yaml`, or folders `old/` and `new/`: two versions, between which the rule finds something;
- `accepted.yaml` or `accepted/`: another new version, in which it finds nothing;
- `old.toml`, `new.toml` and `accepted.toml`: configurations of these versions, if the case is about settings;
- `case.out`: what `toolgen breaking` prints, which `pytest --record` writes;
- `breaking.toml`: accepted changes, if the case needs them.

Versions are checked in cases of the rules about versions only.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from toolgen.changes.comparing.sides import Sides, SpecFiles, compare_files, settings_of
from toolgen.changes.comparison import compare
from toolgen.changes.finding import Category, Finding, Level, Places
from toolgen.changes.policy import Policy
from toolgen.changes.policy_file import parse_acceptances
from toolgen.cli.report.text import render
from toolgen.project.inputs.configuration import FILE, Table, make_project, parse_toml
from toolgen.project.inputs.target_templates import targets_of

CASES = Path(__file__).parents[1] / "cases" / "breaking"
TODAY = date(2026, 11, 22)


def finding(
    code: str = "scope-added", level: Level = Level.ERROR, category: Category = Category.WIRE, **more: Any
) -> Finding:
    """Return a finding about the tool `order`."""
    empty: Any = {"direction": None, "pointer": "", "message": "", "hint": "", "places": Places(None, None)}
    return Finding(code=code, category=category, level=level, tool="order", **{**empty, **more})


def specs(case: Path, version: str) -> SpecFiles:
    """Return the specs of a version: of a folder, or of the file that is named like it."""
    path = case / version
    files = sorted(path.rglob("*.yaml")) if path.is_dir() else [path.with_suffix(".yaml")]
    texts = {file.relative_to(path).as_posix() if path.is_dir() else "order.yaml": file for file in files}
    files = SpecFiles(version, f"{version}/", {name: file.read_bytes() for name, file in texts.items()}, ())
    settings = case / f"{version}.toml"
    if not settings.exists():
        return files
    text = settings.read_text()
    project = make_project(case, Table(FILE, text, "", parse_toml(FILE, text)))
    return replace(
        files, settings=settings_of(project, targets_of(project, {}), f"{version}/"), settings_text=text
    )


def sides(case: Path, version: str) -> Sides:
    """Return the old version of a case, and another one."""
    return compare_files(specs(case, "old"), specs(case, version))


def findings(case: Path, new: str) -> tuple[Finding, ...]:
    """Return what changed between the old version of a case and another one."""
    entries = case / "breaking.toml"
    accepted = parse_acceptances("breaking.toml", entries.read_text()) if entries.exists() else ()
    policy = Policy(is_semver=case.name.startswith("version-"), acceptances=accepted)
    both = sides(case, new)
    return compare(both.old, both.new, policy=policy, today=TODAY)


def report(case: Path) -> str:
    """Return what `toolgen breaking` prints about a case."""
    both = sides(case, "new")
    texts = {**both.old.texts, **both.new.texts}
    if (case / "breaking.toml").exists():
        texts["breaking.toml"] = (case / "breaking.toml").read_bytes()
    return render(findings(case, "new"), texts)
