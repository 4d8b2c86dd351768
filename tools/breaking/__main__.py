"""`make breaking-proof`: compare pairs of schemas for every edit, and try to refute the verdicts.

    make breaking-proof [SEED=n] [SECONDS=600] [CELLS="minimum items"] [PAIRS=200] [PART="edits suite"]

The exit code is 1 if a verdict was refuted, or if more than 5 % of the single edits were not analysed.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence

from tools.breaking.cells import Cell, cells
from tools.breaking.corpora import mutations
from tools.breaking.pairs import pairs
from tools.breaking.proof import judge
from tools.breaking.suite import score_suite
from tools.breaking.tally import Tally
from tools.corpus.__main__ import SHARED

PARTS = ("edits", "corpora", "suite")
MOST_UNANALYSED = 0.05
_SAMPLES = 30  # for each pair
_EDITS = 3  # of each published schema
_ROUND = 20  # pairs of each cell before the clock is looked at
_SUITE = SHARED / "json_schema_containment"


def main(argv: Sequence[str] | None = None) -> int:
    args = _arguments(argv)
    seed = args.seed if args.seed is not None else secrets.randbelow(10**9)
    print(f"seed {seed} (SEED={seed} repeats this run)", flush=True)
    faults = _suite() if "suite" in args.part else 0
    if "edits" in args.part:
        chosen = [cell for cell in cells() if not args.cells or cell.keyword in args.cells]
        tallies = prove(
            chosen,
            seed=seed,
            pairs_per_cell=args.pairs,
            until=time.monotonic() + args.seconds,
        )
        for cell, tally in tallies.items():
            print(f"{cell}: {_figures(tally)}")
        faults += _report("single edits", tallies.values())
    if "corpora" in args.part and SHARED.exists():
        tally = Tally()
        for pair in mutations(SHARED, seed=seed, per_schema=_EDITS):
            judge(pair, tally, sample_count=_SAMPLES)
        faults += _report("single edits of published tools", [tally])
    return 1 if faults else 0


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make breaking-proof", description=__doc__)
    parser.add_argument("--seed", type=int, help="of all pairs and samples (default: a new one)")
    parser.add_argument("--seconds", type=float, default=600.0, help="start no further round after this")
    parser.add_argument(
        "--cells", nargs="+", default=[], metavar="KEYWORD", help="edits of these keywords only"
    )
    parser.add_argument("--pairs", type=int, default=200, help="of each cell (default: 200)")
    parser.add_argument("--part", nargs="+", choices=PARTS, default=PARTS, help="these parts only")
    return parser.parse_args(argv)


def prove(chosen: Sequence[Cell], *, seed: int, pairs_per_cell: int, until: float) -> dict[Cell, Tally]:
    """Judge pairs of each cell, in rounds, until there are enough or the time is over."""
    tallies = {cell: Tally() for cell in chosen}
    for start in range(0, pairs_per_cell, _ROUND):
        for cell, tally in tallies.items():
            if time.monotonic() > until:
                return tallies
            for pair in pairs(cell, seed=seed, start=start, count=min(_ROUND, pairs_per_cell - start)):
                judge(pair, tally, sample_count=_SAMPLES)
    return tallies


def _figures(tally: Tally) -> str:
    return (
        f"{tally.pairs:,} pairs: {tally.contained:,} safe, {tally.broken:,} broken, "
        f"{tally.unanalysed:,} unanalysed; {tally.samples:,} samples, {len(tally.refutations):,} refuted"
    )


def _report(what: str, tallies: Iterable[Tally]) -> int:
    """Print the sum of the tallies. Return the number of faults."""
    all_of = Tally()
    for tally in tallies:
        all_of.add(tally)
    print(
        f"\n{what}",
        _figures(all_of),
        f"{all_of.accepted:,} of the samples are values that the sending side accepts",
        f"edits that break, each with a value that shows it: {all_of.breaking_edits:,}; "
        f"undecided beside others: {all_of.unanalysed_edits:,}",
        sep="\n  ",
    )
    for reason, count in all_of.reasons.most_common(30):
        print(f"{count:>6,} unanalysed: {all_of.examples[reason]}")
    for refutation in all_of.refutations[:20]:
        print(f"REFUTED {refutation}", file=sys.stderr)
    return len(all_of.refutations) + (all_of.unanalysed > MOST_UNANALYSED * all_of.pairs)


def _suite() -> int:
    """Print the score of the containment suite. Return the number of wrong verdicts."""
    if not _SUITE.exists():
        print(f"{_SUITE} is not there: the containment suite is left out")
        return 0
    scores = score_suite(_SUITE)
    for name, score in scores.items():
        print(
            f"{name}: {score.questions:,} questions: {score.right:,} right, {len(score.wrong):,} wrong, "
            f"{score.unanalysed:,} unanalysed, {len(score.contradicted):,} contradicted, "
            f"{len(score.refused):,} not in a spec"
        )
    reasons = sum((score.reasons for score in scores.values()), Counter[str]())
    print(*(f"{count:>6,} {reason}" for reason, count in reasons.most_common(20)), sep="\n")
    wrong = [text for score in scores.values() for text in score.wrong]
    print(*(f"WRONG {text}" for text in wrong[:50]), sep="\n", file=sys.stderr)
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
