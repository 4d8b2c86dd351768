"""`make breaking-proof`: compare pairs of schemas for every edit, and try to refute the verdicts.

    make breaking-proof [SEED=n] [SECONDS=600] [CELLS="minimum items"] [PAIRS=200] [PART="edits suite"]

The exit code is 1 if a verdict was refuted, or if more than 5 % of the single edits were not analysed.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from toolgen.compat.edit_space import Cell, cells

from tools.breaking import tables
from tools.breaking.corpora import mutations
from tools.breaking.pairs import pairs
from tools.breaking.proof import Tally, judge
from tools.breaking.second_validator import Opinion
from tools.breaking.suite import score_suite
from tools.corpus.__main__ import SHARED

PARTS = ("edits", "corpora", "suite")
MOST_UNANALYSED = 0.05
_ROUND = 20  # pairs of each cell before the clock is looked at
_SUITE = SHARED / "json_schema_containment"


def main(argv: Sequence[str] | None = None) -> int:
    args = _arguments(argv)
    seed = args.seed if args.seed is not None else secrets.randbelow(10**9)
    print(f"seed {seed} (SEED={seed} repeats this run)", flush=True)
    faults = 0
    if "suite" in args.part:
        faults += _suite()
    chosen = [cell for cell in cells() if not args.cells or cell.keyword in args.cells]
    if "edits" in args.part:
        until = time.monotonic() + args.seconds
        tallies = prove(chosen, seed=seed, pairs_per_cell=args.pairs, sample_count=args.samples, until=until)
        print(tables.as_text(tables.of_cells(tallies)))
        faults += _report("single edits", tallies.values())
        if args.markdown:
            args.markdown.write_text(_page(seed, tallies), encoding="utf-8")
    if "corpora" in args.part and SHARED.exists():
        tally = Tally()
        for pair in mutations(SHARED, seed=seed, per_schema=args.per_schema):
            judge(pair, tally, sample_count=args.samples)
        faults += _report("edits of published tools", [tally])
    return 1 if faults else 0


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make breaking-proof", description=__doc__)
    parser.add_argument("--seed", type=int, help="of all pairs and samples (default: a new one)")
    parser.add_argument("--seconds", type=float, default=600.0, help="start no further round after this")
    parser.add_argument(
        "--cells", nargs="+", default=[], metavar="KEYWORD", help="edits of these keywords only"
    )
    parser.add_argument("--pairs", type=int, default=200, help="of each cell (default: 200)")
    parser.add_argument("--samples", type=int, default=30, help="for each pair (default: 30)")
    parser.add_argument(
        "--per-schema", type=int, default=3, help="edits of each published schema (default: 3)"
    )
    parser.add_argument("--part", nargs="+", choices=PARTS, default=PARTS, help="these parts only")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table of all cells")
    return parser.parse_args(argv)


def prove(
    chosen: Sequence[Cell], *, seed: int, pairs_per_cell: int, sample_count: int, until: float
) -> dict[Cell, Tally]:
    """Judge pairs of each cell, in rounds, until there are enough or the time is over."""
    tallies = {cell: Tally() for cell in chosen}
    for start in range(0, pairs_per_cell, _ROUND):
        for cell, tally in tallies.items():
            for pair in pairs(cell, seed=seed, start=start, count=min(_ROUND, pairs_per_cell - start)):
                judge(pair, tally, sample_count=sample_count)
        if time.monotonic() > until:
            break
    return tallies


def _report(what: str, tallies: Iterable[Tally]) -> int:
    """Print the sum of the tallies. Return the number of faults."""
    total = Tally()
    for tally in tallies:
        total.add(tally)
    share = total.unanalysed / max(total.pairs, 1)
    print(
        f"\n{what}: {total.pairs:,} pairs: {total.contained:,} contained, {total.broken:,} broken, "
        f"{total.unanalysed:,} unanalysed ({share:.1%})\n"
        f"  {total.samples:,} samples, {total.accepted:,} of them accepted by the narrow schema, "
        f"{len(total.refutations):,} refuted\n"
        f"  samples also show {total.shown_breaks:,} of {total.sampled_breaks:,} breaks\n"
        f"  second validator on witnesses: "
        + ", ".join(f"{opinion.value} {total.opinions[opinion]:,}" for opinion in Opinion)
    )
    for reason, count in total.reasons.most_common(30):
        pair = total.examples[reason]
        print(f"  {count:>6,} unanalysed: {reason}\n         {pair.name}")
        print(
            f"         narrow {json.dumps(pair.narrow)[:300]}\n         wide   {json.dumps(pair.wide)[:300]}"
        )
    for disagreement in total.disagreements[:10]:
        print(f"second validator disagrees: {disagreement}")
    for refutation in total.refutations[:20]:
        print(f"REFUTED {refutation}", file=sys.stderr)
    return len(total.refutations) + (share > MOST_UNANALYSED)


def _suite() -> int:
    if not _SUITE.exists():
        print(f"{_SUITE} is not there: the containment suite is left out")
        return 0
    scores = score_suite(_SUITE)
    print(tables.as_text(tables.of_suite(scores)))
    wrong = [text for score in scores.values() for text in score.wrong]
    for score in scores.values():
        for reason, count in score.reasons.most_common(10):
            print(f"  {count:>5,} unanalysed: {reason}")
    print(*(f"contradicted: {text}" for score in scores.values() for text in score.contradicted), sep="\n")
    print(*(f"WRONG {text}" for text in wrong[:50]), sep="\n", file=sys.stderr)
    return len(wrong)


def _page(seed: int, tallies: dict[Cell, Tally]) -> str:
    return f"# Every edit\n\nSeed {seed}.\n\n{tables.as_markdown(tables.of_cells(tallies))}\n"


if __name__ == "__main__":
    sys.exit(main())
