"""Put mistakes into the gallery's implementations, and count how many `toolgen test` finds: `make mutants`.

Mutants are selected by hashes of their names, the same number of each operator where it has as many. The
tests of each run in a fork of one process: first the examples of all tools that use its module, then more, up
to the first failure.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tools.mutants.mutants import Mutant, all_mutants, read_modules, select_mutants
from tools.mutants.page import write_page
from tools.mutants.trial import STAGES, Layout, Verdict, preload, run_trials

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Run the trials; return 0 if at least 90 % of the mutants are found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=260)
    parser.add_argument("--seed", default="0", help="selects other mutants")
    parser.add_argument("--only", default="", help="names of mutants that begin with this")
    parser.add_argument("--survivors", type=Path, help="a file of --json: what it found is not tried again")
    parser.add_argument("--quick", action="store_true", help="only examples and recorded requests")
    parser.add_argument("--at-once", type=int, default=(os.cpu_count() or 1) + 1)
    parser.add_argument("--write", action="store_true", help="write the page: docs/testing.md")
    parser.add_argument("--json", type=Path, help="write the verdicts to a file")
    args = parser.parse_args()
    mutants = select_mutants(all_mutants(read_modules(ROOT)), args.number, args.seed)
    mutants = [each for each in mutants if each.name.startswith(args.only)]
    earlier: dict[str, dict[str, str]] = {}
    found_before: list[Mutant] = []
    if args.survivors:
        earlier = {each["name"]: each for each in json.loads(args.survivors.read_text())}
        found_before = [each for each in mutants if earlier.get(each.name, {}).get("found_by")]
        mutants = [each for each in mutants if each not in found_before and each.name in earlier]
    verdicts = _judged(mutants, args)
    verdicts += [Verdict(each, earlier[each.name]["found_by"]) for each in found_before]
    verdicts.sort(key=lambda each: (each.mutant.operator, each.mutant.path, each.mutant.line))
    if args.write:
        write_page(ROOT, verdicts)
    if args.json:
        args.json.write_text(json.dumps([_as_data(each) for each in verdicts], indent=1))
    survivors = [each for each in verdicts if not each.found_by]
    for verdict in survivors:
        mutant = verdict.mutant
        print(
            f"survived  {mutant.name}  {mutant.path}:{mutant.line}\n  - {mutant.before}\n  + {mutant.after}"
        )
    found = len(verdicts) - len(survivors)
    print(f"{found} of {len(verdicts)} found, {100 * found / max(1, len(verdicts)):.1f} %")
    print(
        ", ".join(f"{check} {count}" for check, count in Counter(v.found_by for v in verdicts).most_common())
    )
    return 0 if found >= 0.9 * len(verdicts) else 1


def _judged(mutants: Sequence[Mutant], args: argparse.Namespace) -> list[Verdict]:
    from toolgen.project.building.project_build import program_of, read_inputs
    from toolgen.testing.outcomes.recorded import with_recorded
    from toolgen.testing.tool_under_test import tool_under_test

    inputs = read_inputs(str(ROOT))
    tools = with_recorded(inputs.project, [tool_under_test(tool) for tool in program_of(inputs).tools])
    stages = STAGES[:2] if args.quick else STAGES
    preload(ROOT, tools)
    found = []
    for verdict in run_trials(Layout(ROOT), mutants, tools, at_once=args.at_once, stages=stages):
        found.append(verdict)
        state = verdict.found_by or "SURVIVED"
        print(
            f"{len(found)}/{len(mutants)} {state:20} {verdict.mutant.name} {verdict.seconds:.1f} s",
            file=sys.stderr,
            flush=True,
        )
    return found


def _as_data(verdict: Verdict) -> dict[str, object]:
    mutant = verdict.mutant
    return {
        "name": mutant.name,
        "operator": mutant.operator,
        "path": mutant.path,
        "line": mutant.line,
        "before": mutant.before,
        "after": mutant.after,
        "found_by": verdict.found_by,
        "message": verdict.message,
        "seconds": round(verdict.seconds, 2),
    }


if __name__ == "__main__":
    sys.exit(main())
