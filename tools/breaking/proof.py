"""Judge pairs, and try to refute the verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, Final

from toolgen.changes.schemas.judging import judge_schemas
from toolgen.proof.containment import Containment, NotContained, Unanalysed, check_containment
from toolgen.schema.document import Schema, SchemaDocument
from toolgen.schema.validator import compiled

from tools.breaking.pairs import Pair
from tools.breaking.rephrased import witnesses_of_rephrased
from tools.breaking.samples import samples
from tools.breaking.tally import Case, Tally

Check = Callable[[Schema, Schema], Containment]

_TURNS: Final = 4  # of what is expensive: it is done for one of so many pairs


def judge(pair: Pair, tally: Tally, *, sample_count: int, check: Check = check_containment) -> None:
    """Compare the schemas of `pair`, try to refute the verdict, and count."""
    tally.pairs += 1
    verdict = check(pair.narrow, pair.wide)
    if isinstance(verdict, Unanalysed):
        tally.unanalysed += 1
        tally.reasons[verdict.reason] += 1
        tally.note_example(verdict.reason, Case.of(pair, verdict.reason))
    elif isinstance(verdict, NotContained):
        tally.broken += 1
        _check_witness(pair, verdict.witness, tally)
        if tally.broken % _TURNS == 1:
            _check_edits(pair, tally)
    else:
        tally.contained += 1
        found = _counterexample(pair, _attack(pair, sample_count, tally.contained), tally)
        if found is not None:
            tally.refutations.append(Case.of(pair, "contained is refuted by", found[0]))


def _attack(pair: Pair, sample_count: int, number: int) -> Iterable[Any]:
    """Return values that may refute "contained". What is expensive takes turns."""
    values: Iterable[Any] = samples(pair, count=sample_count, generated=number % (2 * _TURNS) == 1)
    return chain(witnesses_of_rephrased(pair), values) if number % (2 * _TURNS) == 2 else values


def _check_witness(pair: Pair, witness: Any, tally: Tally) -> None:
    if not compiled(pair.narrow).is_valid(witness) or compiled(pair.wide).is_valid(witness):
        tally.refutations.append(Case.of(pair, "no witness", witness))


def _check_edits(pair: Pair, tally: Tally) -> None:
    """Check that the edits of a broken pair, as the diff finds them, have witnesses of the whole change."""
    judged = judge_schemas(SchemaDocument(pair.old), SchemaDocument(pair.new), pair.direction)
    if not isinstance(judged.whole, NotContained):
        tally.refutations.append(Case.of(pair, "broken, and without a finding"))
    narrow, wide = compiled(pair.narrow), compiled(pair.wide)
    for each in judged.edits:
        if isinstance(each.verdict, Unanalysed):
            tally.unanalysed_edits += 1
        elif isinstance(each.verdict, NotContained):
            tally.breaking_edits += 1
            witness = each.verdict.witness
            if not narrow.is_valid(witness) or wide.is_valid(witness):
                tally.refutations.append(Case.of(pair, f"no witness of {each.edit.cell_keyword}", witness))


def _counterexample(pair: Pair, values: Iterable[Any], tally: Tally) -> list[Any] | None:
    """Return, in a list, a value that only the narrow schema accepts; None if none is."""
    narrow, wide = compiled(pair.narrow), compiled(pair.wide)
    for value in values:
        tally.samples += 1
        if narrow.is_valid(value):
            tally.accepted += 1
            if not wide.is_valid(value):
                return [value]
    return None
