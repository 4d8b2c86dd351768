"""`make fuzz`: replay the corpus, then search for findings with a fixed seed and with a new one.

    make fuzz [SECONDS=600] [SEED=n] [PART="text terminal"] [REPLAY=file] [PLANTED=1]

The exit code is 1 if something is found; a minimized input is then a file in `.fuzz/`.
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tools.fuzz.findings import Deadline, Finding, save
from tools.fuzz.parts import PARTS, entries, entry
from tools.fuzz.planted import ENVIRONMENT, PLANTED_BUGS
from tools.fuzz.workers import Workers

FIXED_SEED = 1
_FOUND = Path(".fuzz")


def main(argv: Sequence[str] | None = None) -> int:
    args = _arguments(argv)
    if args.replay:
        return _report([finding for file in args.replay for finding in entry(file).replay()])
    if args.planted:
        return _planted(args.seconds)
    if _report(
        [
            replace(found, detail=f"{each.name}: {found.detail}")
            for each in entries()
            for found in each.replay()
        ]
    ):
        return 1
    seeds = [args.seed] if args.seed is not None else [FIXED_SEED, secrets.randbelow(10**9)]
    print(f"seeds: {', '.join(map(str, seeds))} (SEED= repeats one)", flush=True)
    findings: list[Finding] = []
    for number, seed in enumerate(seeds):
        # fixed inputs are tried with the first seed, so it has more time
        seconds = args.seconds * (0.75 if len(seeds) > 1 and not number else 0.25 if number else 1)
        findings += _run(seed, seconds, args.part or [*PARTS])
    return _report(findings)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="about how long to look (default: 600)")
    parser.add_argument("--seed", type=int, help="look with this seed only")
    parser.add_argument("--part", nargs="+", choices=list(PARTS), help="look for these only")
    parser.add_argument("--replay", type=Path, nargs="+", metavar="FILE", help="try reproductions again")
    parser.add_argument("--planted", action="store_true", help="plant bugs, and check that each is found")
    return parser.parse_args(argv)


def _run(seed: int, seconds: float, parts: Sequence[str]) -> list[Finding]:
    findings: list[Finding] = []
    total = sum(PARTS[name].share for name in parts) or 1.0
    with Workers() as workers:
        for name in parts:
            started = time.monotonic()
            deadline = Deadline.after(seconds * PARTS[name].share / total)
            tally = PARTS[name].run(random.Random(f"{seed} {name}"), deadline, workers)
            seen = ", ".join(f"{number:,} {what}" for what, number in sorted(tally.counts.items()) if number)
            print(f"seed {seed}, {name}, {time.monotonic() - started:.0f} s: {seen}", flush=True)
            findings += tally.findings
    return findings


def _report(findings: Sequence[Finding]) -> int:
    for finding in findings:
        file = save(finding, _FOUND)
        print(f"{finding.part}: {finding.kind}: {finding.detail}\n  make fuzz REPLAY={file}", file=sys.stderr)
    return 1 if findings else 0


def _planted(seconds: float) -> int:
    """Plant each bug and search for it. Return 1 if one is not found."""
    missed = []
    for name, planted_bug in PLANTED_BUGS.items():
        os.environ[ENVIRONMENT] = name
        with Workers() as workers:
            deadline = Deadline.after(seconds / 4)  # each: a search ends with its first finding
            tally = PARTS[planted_bug.part].run(random.Random(FIXED_SEED), deadline, workers)
        del os.environ[ENVIRONMENT]
        print(f"{name}: {'found: ' + tally.findings[0].kind if tally.findings else 'MISSED'}", flush=True)
        missed += [] if tally.findings else [name]
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
