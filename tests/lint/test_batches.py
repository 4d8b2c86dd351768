"""Specs linted in several processes: the same report as from one, whatever a batch cannot see."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence

import pytest
from toolgen.cli.linting import LintResult, lint_specs
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.package import PackageSettings
from toolgen.language.program import Program
from toolgen.language.reading.read import read

from tests.test_refused import CASES

SHARED = """\
$defs:
  sku:
    type: string
    default: 5
    x-lint: {ignore: {default-violates-schema: a number in the old system}}
"""
FIND = """\
name: find_orders
description: Return the orders of a customer.
x-lint: {ignore: {annotations-missing: an internal tool}}
input_schema:
  type: object
  properties: {sku: {$ref: "shared.yaml#/$defs/sku"}, names: {type: array}}
examples: [{name: one, ask: Show me the weather in Rome., input: {}}]
"""
SIMILAR = FIND.replace("find_orders", "orders_of")
FILES = {"find.yaml": FIND, "shared.yaml": SHARED, "similar.yaml": SIMILAR}


def in_batches(
    batch: Callable[[Sequence[str]], Program | None], paths: Sequence[str]
) -> Iterator[Program | None]:
    """One spec at a time, the last one first, sent as between processes."""
    for path in reversed(paths):
        yield pickle.loads(pickle.dumps(batch([path])))


def linted(files: dict[str, str], **options: object) -> LintResult:
    return lint_specs(files, (), PackageSettings(), **options)  # type: ignore[arg-type]


def test_batches_make_the_same_report_baseline_and_fixes() -> None:
    together, apart = linted(FILES), linted(FILES, pool=in_batches)
    codes = {each.code for each in together.report.entries}
    assert {"similar-tools", "unfindable-ask", "array-without-items", "default-violates-schema"} <= codes
    assert apart == together


def test_a_fault_in_one_batch_is_reported_with_all_others() -> None:
    files = {**FILES, "bad.yaml": FIND.replace("object", "objekt", 1), "worse.yaml": "name: ["}
    with pytest.raises(SpecErrors) as together:
        linted(files)
    with pytest.raises(SpecErrors) as apart:
        linted(files, pool=in_batches)
    assert apart.value.diagnostics == together.value.diagnostics


def test_two_batches_that_want_one_name_are_refused() -> None:
    with pytest.raises(SpecErrors, match="find_orders"):
        linted({"a.yaml": FIND, "b.yaml": FIND, "shared.yaml": SHARED}, pool=in_batches)


def test_places_are_the_same_whether_they_are_computed_at_once_or_later() -> None:
    texts = {str(path): path.read_bytes() for path in sorted(CASES.glob("warned/*/case.yaml"))}
    for now, later in zip(read(texts, located=True), read(texts), strict=True):
        assert (dict(now.marks.keys), dict(now.marks.values)) == (
            dict(later.marks.keys),
            dict(later.marks.values),
        )
