"""Rules: each has a page and a case, and every edit that there can be is claimed by one rule or waived."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from toolgen.compat.edit_space import Cell, cells
from toolgen.compat.finding import Witness
from toolgen.compat.rule import SchemaRule
from toolgen.compat.table import (
    CODES,
    PACKAGES,
    RULES,
    SCHEMA_RULES,
    TABLES,
    TOOL_RULES,
    WAIVED_EDITS,
    WAIVED_FIELDS,
    WAIVED_KEYWORDS,
    levels_of,
    page,
    waiver,
)
from toolgen.data.spec import Spec
from toolgen.schema.validator import compiled

from tests.compat.cases import CASES, findings, report, sides

RULE_MODULES = Path(__file__).parents[2] / "generator" / "toolgen" / "compat" / "rules"


@pytest.mark.parametrize("code", CODES)
def test_the_rule_finds_the_case_and_not_its_accepted_version(code: str, record: bool) -> None:
    case = CASES / code
    assert code in {finding.code for finding in findings(case, "new")}
    assert code not in {finding.code for finding in findings(case, "accepted")}
    shown = [(each.pointer, each.witness) for each in findings(case, "new") if each.witness is not None]
    assert all(is_shown(case, pointer, witness) for pointer, witness in shown)
    expected = case / "case.out"
    if record:
        expected.write_text(report(case), encoding="utf-8", newline="\n")
    assert report(case) == expected.read_text(encoding="utf-8")


def is_shown(case: Path, pointer: str, witness: Witness) -> bool:
    """True if the schema at the beginning of a pointer changed its mind about the witness."""
    name, both = pointer.split("/")[1], sides(case, "new")
    (old,), (new,) = both.old.contracts.values(), both.new.contracts.values()
    verdicts = [compiled(each.schemas.get(name, {})).is_valid(witness.value) for each in (old, new)]
    return verdicts == [witness.accepted_by == "old", witness.accepted_by == "new"]


def test_pages_begin_with_the_code_and_have_a_reason() -> None:
    for code in CODES:
        title, _, reason = page(code).partition("\n\n")
        assert title.startswith(f"{code}: ")
        assert title.endswith(".")
        assert len(reason.split()) > 5, code
        assert RULES[code].code == code


def test_every_rule_and_every_case_is_listed() -> None:
    in_tables = {Path(table.__file__): {rule.code for rule in table.RULES} for table in TABLES}
    modules = set(RULE_MODULES.glob("*/*.py")) - set(RULE_MODULES.glob("*/__init__.py")) - in_tables.keys()
    assert set(CODES) == {path.stem.replace("_", "-") for path in modules}.union(*in_tables.values())
    assert {path.name for path in CASES.iterdir()} == set(CODES)
    assert all(list(codes) == sorted(codes) for codes in PACKAGES.values())


def test_every_edit_is_claimed_by_a_rule_or_waived() -> None:
    def is_claimed(cell: Cell) -> bool:
        return (cell.keyword, cell.edit) in SCHEMA_RULES

    assert [str(cell) for cell in cells() if is_claimed(cell) == (waiver(cell) is not None)] == []
    assert len(cells()) > 500


def test_no_edit_is_claimed_twice_and_no_claim_is_outside_of_the_space() -> None:
    rules = [rule for rule in RULES.values() if isinstance(rule, SchemaRule)]
    claimed = Counter(claim for rule in rules for claim in rule.claims)
    assert [claim for claim, times in claimed.items() if times > 1] == []
    assert claimed.keys() <= {(cell.keyword, cell.edit) for cell in cells()}


def test_waivers_have_reasons_and_are_needed() -> None:
    reasons = [*WAIVED_KEYWORDS.values(), *WAIVED_EDITS.values(), *WAIVED_FIELDS.values()]
    assert all(len(reason) > 10 for reason in reasons)
    assert WAIVED_KEYWORDS.keys() <= {cell.keyword for cell in cells()}
    assert WAIVED_EDITS.keys() <= {cell.edit for cell in cells()}


def test_every_field_of_a_spec_is_claimed_by_a_rule_or_waived() -> None:
    claimed = {field for rule in TOOL_RULES for field in rule.fields}
    assert claimed | WAIVED_FIELDS.keys() == set(Spec.model_fields)
    assert not claimed & WAIVED_FIELDS.keys()


def test_the_page_lists_every_rule(record: bool) -> None:
    """`pytest --record` writes the table."""
    document = CASES.parents[2] / "docs" / "breaking.md"
    before, begin, rest = document.read_text(encoding="utf-8").partition("<!-- rules -->\n")
    _, end, after = rest.partition("<!-- end of rules -->\n")
    assert begin
    assert end
    if record:
        document.write_text(f"{before}{begin}{table()}{end}{after}", encoding="utf-8", newline="\n")
    assert table() in document.read_text(encoding="utf-8")


def table() -> str:
    """Return the rules as a table of Markdown."""
    rows = [
        "| rule | is found when | concerns | level: request | response | tool |",
        "|---|---|---|---|---|---|",
    ]
    for code in CODES:
        title = page(code).partition("\n")[0].partition(": ")[2].removesuffix(".")
        levels = {row.direction: row.level for row in levels_of(code)}
        cells = [levels.get(direction, "") for direction in ("request", "response", "tool")]
        rows.append(f"| `{code}` | {title} | {RULES[code].category.value} | {' | '.join(cells)} |")
    return "\n".join(["", *rows, ""])
