"""Rules: each has a page and a case, and every edit that there can be is claimed by one rule or waived."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from toolgen.changes.edit_space import Edit
from toolgen.changes.finding import Witness
from toolgen.changes.rule import SchemaRule
from toolgen.changes.table import (
    CODES,
    RULES,
    SCHEMA_RULES,
    TOOL_RULES,
)
from toolgen.language.spec import Spec
from toolgen.schema.validator import compiled

from tests.compat.cases import CASES, findings, report, sides
from tests.compat.rule_pages import rules_page
from tools.breaking.cells import Cell, cells

WAIVED_KEYWORDS = {
    "$anchor": "references are followed, so the name of an anchor is no edit",
    "$comment": "for the authors of the schema, not published to models, and without effect",
    "$defs": "definitions are compared where references lead to them",
    "$dynamicAnchor": "takes part in dynamic references, which are compared as a whole",
    "$id": "names a schema; references that depend on it are compared as a whole",
    "$recursiveAnchor": "belongs to draft 2019-09, and neither draft that specs are written in reads it",
    "$vocabulary": "belongs to meta-schemas",
    "definitions": "definitions are compared where references lead to them",
}
"""Keyword whose edits no rule claims → the reason."""
WAIVED_EDITS = {
    Edit.FOLDED: "references are followed, so a schema and a reference to an equal one are the same",
    Edit.UNFOLDED: "references are followed, so a reference and a copy of what it refers to are the same",
}
"""Edit that no rule claims, of any keyword → the reason."""
WAIVED_FIELDS = {
    "enabled": "a disabled tool is not part of the contract: `tool-removed`, `tool-added`",
    "input_schema": "its edits are claimed by the rules for schemas",
    "name": "`tool-renamed`, `tool-removed`, `tool-added`",
    "toolgen": "the version of the spec language, which callers do not see",
    "version": "`version-not-bumped`, `version-decreased`, `version-invalid`",
}
"""Field of a spec that no rule claims → the reason, or the rules for tools as a whole."""


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
    schemas = [each.documents[name].schema if name in each.documents else {} for each in (old, new)]
    verdicts = [compiled(schema).is_valid(witness.value) for schema in schemas]
    return verdicts == [witness.accepted_by == "old", witness.accepted_by == "new"]


def test_every_rule_has_a_case() -> None:
    assert {path.name for path in CASES.iterdir()} == set(CODES)


def waiver(cell: Cell) -> str | None:
    """Why no rule claims a cell; None if one does or should."""
    return WAIVED_KEYWORDS.get(cell.keyword) or WAIVED_EDITS.get(cell.edit)


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


def test_every_field_of_a_spec_is_claimed_by_a_rule_or_waived() -> None:
    claimed = {field for rule in TOOL_RULES for field in rule.fields}
    assert claimed | WAIVED_FIELDS.keys() == set(Spec.model_fields)
    assert not claimed & WAIVED_FIELDS.keys()


def test_the_document_has_every_rule(record: bool) -> None:
    """`pytest --record` writes it."""
    document = CASES.parents[2] / "docs" / "breaking-rules.md"
    if record:
        document.write_text(rules_page(), encoding="utf-8", newline="\n")
    assert document.read_text(encoding="utf-8") == rules_page()
