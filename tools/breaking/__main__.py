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
from pathlib import Path

from toolgen.changes.edit_space import Cell, cells
from toolgen.changes.schemas.judging import judge_schemas
from toolgen.schema.document import SchemaDocument

from tools.breaking import tables
from tools.breaking.corpora import mutations, suite_pairs
from tools.breaking.page import PAGE, replace_part
from tools.breaking.pairs import pairs
from tools.breaking.proof import judge
from tools.breaking.second_validator import Opinion
from tools.breaking.suite import score_suite
from tools.breaking.tally import Tally, read_tallies, total, write_tallies
from tools.corpus.__main__ import SHARED

PARTS = ("edits", "corpora", "suite")
MOST_UNANALYSED = 0.05
_ROUND = 20  # pairs of each cell before the clock is looked at
_WRITTEN = 20.0  # seconds after which the figures are written again
_SUITE = SHARED / "json_schema_containment"


def main(argv: Sequence[str] | None = None) -> int:
    args = _arguments(argv)
    seed = args.seed if args.seed is not None else secrets.randbelow(10**9)
    print(f"seed {seed} (SEED={seed} repeats this run)", flush=True)
    parts: dict[str, str] = {}
    faults = 0
    if "suite" in args.part:
        faults += _suite(parts)
    summary = [f"`make breaking-proof SEED={seed} PAIRS={args.pairs}`:", ""]
    if "edits" in args.part:
        until = time.monotonic() + args.seconds
        chosen = [cell for cell in cells() if not args.cells or cell.keyword in args.cells]
        tallies = prove(
            chosen,
            seed=seed,
            pairs_per_cell=args.pairs,
            sample_count=args.samples,
            until=until,
            resume=args.resume,
        )
        print(tables.as_text(tables.of_cells(tallies)))
        parts["cells"] = tables.as_markdown(tables.of_cells(tallies))
        parts["keywords"] = tables.as_markdown(tables.of_keywords(tallies))
        faults += _report("single edits", tallies.values(), summary)
    if "corpora" in args.part and SHARED.exists():
        tally = Tally()
        for pair in mutations(SHARED, seed=seed, per_schema=args.per_schema):
            judge(pair, tally, sample_count=args.samples)
        faults += _report("single edits of published tools", [tally], summary)
        for pair in suite_pairs(SHARED / "json_schema_test_suite", seed=seed, count=args.pairs):
            # it ends the run if it fails
            judge_schemas(SchemaDocument(pair.old), SchemaDocument(pair.new), pair.direction)
    if args.write:
        if {"edits", "corpora"} <= {*args.part}:
            parts["summary"] = "\n".join(summary)
        for name, text in parts.items():
            replace_part(PAGE, name, text)
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
    parser.add_argument("--resume", type=Path, metavar="FILE", help="continue the run in this file")
    parser.add_argument("--write", action="store_true", help=f"update {PAGE}")
    return parser.parse_args(argv)


def prove(
    chosen: Sequence[Cell],
    *,
    seed: int,
    pairs_per_cell: int,
    sample_count: int,
    until: float,
    resume: Path | None,
) -> dict[Cell, Tally]:
    """Judge pairs of each cell, in rounds, until there are enough or the time is over."""
    tallies = {} if resume is None else read_tallies(resume, seed)
    written = time.monotonic()
    for start in range(0, pairs_per_cell, _ROUND):
        for cell in chosen:
            tally = tallies.setdefault(cell, Tally())
            if tally.pairs > start or time.monotonic() > until:
                continue
            for pair in pairs(cell, seed=seed, start=start, count=min(_ROUND, pairs_per_cell - start)):
                judge(pair, tally, sample_count=sample_count)
            if resume is not None and time.monotonic() > written + _WRITTEN:
                write_tallies(resume, seed, tallies)
                written = time.monotonic()
    if resume is not None:
        write_tallies(resume, seed, tallies)
    return {cell: tallies[cell] for cell in chosen}


def _report(what: str, tallies: Iterable[Tally], summary: list[str]) -> int:
    """Print the sum of the tallies, and add it to the summary. Return the number of faults."""
    all_of = total(tallies)
    share = all_of.unanalysed / max(all_of.pairs, 1)
    lines = (
        f"{all_of.pairs:,} pairs: {all_of.contained:,} safe, {all_of.broken:,} broken, "
        f"{all_of.unanalysed:,} unanalysed ({share:.1%})",
        f"{all_of.samples:,} samples against verdicts of safe, {all_of.accepted:,} of them values that the "
        f"sending side accepts: {len(all_of.refutations):,} refuted",
        f"edits that break, each with a value that shows it: {all_of.breaking_edits:,}; "
        f"undecided beside others: {all_of.unanalysed_edits:,}",
        f"samples also found {all_of.shown_breaks:,} of {all_of.sampled_breaks:,} breaks",
        "jsonschema on the values that show breaks: "
        + ", ".join(f"{opinion.value} {all_of.opinions[opinion.value]:,}" for opinion in Opinion),
    )
    print(f"\n{what}", *lines, sep="\n  ")
    summary += [f"- {what}", *(f"  - {line}" for line in lines)]
    for reason, count in all_of.reasons.most_common(30):
        print(f"{count:>6,} unanalysed: {all_of.examples[reason]}")
    for disagreement in all_of.disagreements[:10]:
        print(f"jsonschema disagrees: {disagreement}")
    for refutation in all_of.refutations[:20]:
        print(f"REFUTED {refutation}", file=sys.stderr)
    return len(all_of.refutations) + (share > MOST_UNANALYSED)


def _suite(parts: dict[str, str]) -> int:
    """Print the score of the containment suite. Return the number of wrong verdicts."""
    if not _SUITE.exists():
        print(f"{_SUITE} is not there: the containment suite is left out")
        return 0
    scores = score_suite(_SUITE)
    print(tables.as_text(tables.of_suite(scores)))
    reasons = Counter[str]()
    for score in scores.values():
        reasons += score.reasons
    notes = [f"{count:,} unanalysed: {reason}" for reason, count in reasons.most_common(20)]
    contradicted = [each for score in scores.values() for each in score.contradicted]
    for reason, count in Counter(each.reason for each in contradicted).most_common():
        files = {
            each.where.rpartition(" ")[0].rpartition("/")[2] for each in contradicted if each.reason == reason
        }
        notes.append(f"{count:,} contradicted: {reason} ({', '.join(sorted(files))})")
    print(*notes, sep="\n")
    wrong = [text for score in scores.values() for text in score.wrong]
    print(*(f"WRONG {text}" for text in wrong[:50]), sep="\n", file=sys.stderr)
    items = "\n".join(f"- {note}" for note in notes)
    parts["suite"] = f"{tables.as_markdown(tables.of_suite(scores))}\n\n{items}"
    return len(wrong)


if __name__ == "__main__":
    sys.exit(main())
