"""Rules: each has a page and a case, and every edit that there can be is claimed by one rule or waived."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from toolgen.compat.edit_space import Cell, cells
from toolgen.compat.rule import SchemaRule
from toolgen.compat.table import (
    CODES,
    RULES,
    SCHEMA_RULES,
    TOOL_RULES,
    WAIVED_EDITS,
    WAIVED_FIELDS,
    WAIVED_KEYWORDS,
    page,
    waiver,
)
from toolgen.data.spec import Spec

RULE_MODULES = Path(__file__).parents[2] / "generator" / "toolgen" / "compat" / "rules"


@pytest.mark.parametrize("code", CODES)
def test_a_page_begins_with_the_code_and_has_a_reason(code: str) -> None:
    title, _, reason = page(code).partition("\n\n")
    assert title.startswith(f"{code}: ")
    assert title.endswith(".")
    assert len(reason.split()) > 5
    assert RULES[code].code == code


def test_every_rule_and_every_case_is_listed() -> None:
    modules = {path.stem.replace("_", "-") for path in RULE_MODULES.glob("*.py")} - {"--init--"}
    assert set(CODES) == modules
    assert list(CODES) == sorted(CODES)


@pytest.mark.parametrize("cell", cells(), ids=str)
def test_every_edit_is_claimed_by_a_rule_or_waived(cell: Cell) -> None:
    is_claimed = (cell.keyword, cell.edit) in SCHEMA_RULES
    assert is_claimed != (waiver(cell) is not None)


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
