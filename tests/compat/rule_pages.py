"""`docs/breaking-rules.md`: every rule of `breaking` with its page and the example of its case."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff
from itertools import islice
from pathlib import Path

from toolgen.changes.rule import SchemaRule
from toolgen.changes.table import CODES, RULES, levels_of

from tests.compat.cases import CASES

HEAD = """\
# Rules of breaking changes

All rules of [`toolgen breaking`](breaking.md), each with an example: the change of a spec, and what is reported. `toolgen explain CODE` prints one of them.
This page is made of the rules and of `tests/cases/breaking/`: `pytest --record tests/compat/test_rules.py` writes it.

The level of an edit of a schema is the first one if it breaks, and the second one if it is proved not to.
"""


def rules_page() -> str:
    """Return the text of the document."""
    return "\n".join([HEAD, *_table(), *(line for code in CODES for line in _section(code))]) + "\n"


def _table() -> Iterator[str]:
    yield "| rule | is found when | concerns | level: request | response | tool |"
    yield "|---|---|---|---|---|---|"
    for code in CODES:
        levels = {row.direction: row.level for row in levels_of(code)}
        cells = " | ".join(levels.get(direction, "") for direction in ("request", "response", "tool"))
        rule = RULES[code]
        yield f"| [`{code}`](#{code}) | {rule.what} | {rule.category.value} | {cells} |"


def _section(code: str) -> Iterator[str]:
    rule = RULES[code]
    yield from ("", f"## {code}", "", _sentence(rule.what), "", rule.why, "")
    if rule.advice:
        yield from (f"Fix: {_sentence(rule.advice)}", "")
    if isinstance(rule, SchemaRule) and rule.response_advice:
        yield from (f"Fix for responses: {_sentence(rule.response_advice)}", "")
    if changes := list(_changes(CASES / code)):
        yield from ("```diff", *changes, "```", "")
    if (accepted := CASES / code / "breaking.toml").exists():
        yield from ("```toml", accepted.read_text(encoding="utf-8").rstrip(), "```", "")
    yield from ("```text", _finding(code), "```")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _changes(case: Path) -> Iterator[str]:
    """Yield the lines of the files that differ between the versions of a case."""
    old, new = _files(case, "old"), _files(case, "new")
    for name in sorted({*old, *new}):
        lines = unified_diff(old.get(name, []), new.get(name, []), lineterm="", n=99)
        yield from islice(lines, 3, None)  # without names and position


def _files(case: Path, version: str) -> dict[str, list[str]]:
    """Return the lines of the specs and the configuration of a version, by name or suffix."""
    found = [*case.glob(f"{version}/*"), *case.glob(f"{version}.*")]
    return {file.name.removeprefix(version): file.read_text().splitlines() for file in found}


def _finding(code: str) -> str:
    """Return the first finding of the rule in its case."""
    text = (CASES / code / "case.out").read_text(encoding="utf-8")
    findings = re.split(r"^(?=\S+: (?:error|warning|info)\[)", text, flags=re.MULTILINE)
    return next(each.rstrip() for each in findings if f"[{code}]" in each.partition("\n")[0])
