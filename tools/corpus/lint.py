"""`python -m tools.corpus.lint`: lint the public corpora; print the findings per rule, or draw some of them.

python -m tools.corpus.lint --draw 100 --seed 26
python -m tools.corpus.lint --draw 100 --seed 27 --by-rule  # as many of each rule as there are
python -m tools.corpus.lint --largest 10
python -m tools.corpus.lint --beside .venv-tdqs/bin/tdqs  # another linter, installed by hand
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from toolgen.changes.measuring.budget import Limits, measure_budget
from toolgen.cli.linting import lint_specs
from toolgen.cli.report.entry import Entry
from toolgen.project.building.project_build import read_inputs

from tools.corpus.__main__ import SHARED
from tools.corpus.openai import batches, function
from tools.corpus.project import FailedError, project

Found = tuple[str, Entry, dict[str, Any]]


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=int, metavar="N", help="print N findings as lines of JSON")
    parser.add_argument("--seed", type=int, default=26)
    parser.add_argument("--by-rule", action="store_true", help="draw from all rules in turn")
    parser.add_argument("--beside", metavar="TDQS", help="the command of tdqs 0.1.0, to compare rules with")
    parser.add_argument("--largest", type=int, metavar="N", help="print the N largest tools of each corpus")
    args = parser.parse_args()
    if args.largest:
        print_largest(args.largest)
        return 0
    found = {"mcp": list(_mcp()), "openai": list(_openai())}
    if args.beside:
        print_agreement(found["mcp"], args.beside)
        return 0
    if args.draw:
        everything = [each for corpus in found.values() for each in corpus]
        for source, entry, tool in drawn(everything, args.draw, args.seed, by_rule=args.by_rule):
            row = {"source": source, "file": entry.span.file, "code": entry.code, "message": entry.message}
            print(json.dumps({**row, "tool": tool}, ensure_ascii=False))
        return 0
    counts = {corpus: Counter(entry.code for _, entry, _ in each) for corpus, each in found.items()}
    print("| rule | MCP servers | OpenAI functions |\n|---|---|---|")
    for code in sorted(set().union(*counts.values())):
        print(f"| `{code}` | {counts['mcp'][code]:,} | {counts['openai'][code]:,} |")
    return 0


def print_largest(number: int) -> None:
    """Print the largest tools of each corpus, in bytes as MCP lists them, and of what all tools have."""
    print("| MCP servers | bytes | OpenAI functions | bytes |\n|---|---|---|---|")
    mcp = (_sizes("mcp", server, tools) for server, tools in _servers().items())
    openai = (_sizes("openai", f"openai {at}", tools) for at, tools in enumerate(_functions()))
    columns = []
    for sizes in (mcp, openai):
        known = [each for some in sizes for each in some]
        columns.append(sorted(known, key=lambda each: (-each[1], each[0]))[:number])
    for (one, size), (other, its_size) in zip(*columns, strict=True):
        print(f"| `{one}` | {size:,} | `{other}` | {its_size:,} |")


def _sizes(kind: str, source: str, tools: list[dict[str, Any]]) -> Iterator[tuple[str, int]]:
    with project("corpus_sizes") as made:
        try:
            made.import_tools(kind, tools)
        except FailedError as error:
            print(f"{source}: {error}", file=sys.stderr)
            return
        budget = measure_budget(
            str(made.root), unit=None, limits=Limits(None, None), compares_baseline=False, with_savings=False
        )
    for name, sizes in budget.tools.items():
        yield name, sizes["mcp"]


def drawn(found: list[Found], number: int, seed: int, *, by_rule: bool) -> list[Found]:
    """Return some findings at random; `by_rule`, one of each rule in turn, so that rare rules are seen."""
    chance = random.Random(seed)
    if not by_rule:
        return chance.sample(found, number)
    rules: dict[str, list[Found]] = {}
    for each in chance.sample(found, len(found)):
        rules.setdefault(each[1].code, []).append(each)
    turns = zip_longest(*(rules[code] for code in sorted(rules)))
    return [each for turn in turns for each in turn if each is not None][:number]


PAIRS = {  # rules of tdqs → the rule of ours that is about the same
    "missing-annotations": "annotations-missing",
    "no-description": "unclear-purpose",
    "tautological-description": "unclear-purpose",
    "undocumented-parameters": "parameter-undescribed",
}


def print_agreement(found: list[Found], command: str) -> None:
    """Print, for each pair of rules, how many tools both of them report, and which only one of them does."""
    ours = {(source, tool.get("name"), entry.code) for source, entry, tool in found}
    theirs: set[tuple[str, Any, str]] = set()
    without: Counter[str] = Counter()
    for server, tools in _servers().items():
        for each in _tdqs(command, tools):
            if each["rule"] in PAIRS:
                theirs.add((server, each["tool"], PAIRS[each["rule"]]))
            else:
                without[each["rule"]] += 1
    print("| rule | both | toolgen alone | tdqs alone |\n|---|---|---|---|")
    for code in sorted(set(PAIRS.values())):
        mine = {key for key in ours if key[2] == code}
        other = {key for key in theirs if key[2] == code}
        print(f"| `{code}` | {len(mine & other):,} | {len(mine - other):,} | {len(other - mine):,} |")
        for who, alone in (("toolgen", mine - other), ("tdqs", other - mine)):
            for server, tool, _ in sorted(alone, key=str):
                print(f"{code}: {who} alone: {server}: {tool}", file=sys.stderr)
    print(f"without a counterpart: {dict(without)}", file=sys.stderr)


def _tdqs(command: str, tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    words = [command, "lint", "--file", "-", "--format", "json", "--fail-on", "never"]
    done = subprocess.run(words, input=json.dumps(tools), capture_output=True, text=True, check=True)
    findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return findings


def _mcp() -> Iterator[Found]:
    for server, tools in _servers().items():
        yield from _linted("mcp", server, tools)


def _servers() -> dict[str, list[dict[str, Any]]]:
    servers: dict[str, list[dict[str, Any]]] = {}
    for tool in _lines(SHARED / "mcp_tools.public.jsonl"):
        servers.setdefault(str(tool.pop("source", "")), []).append(tool)
    return servers


def _openai() -> Iterator[Found]:
    for number, tools in enumerate(_functions()):
        # functions of different applications are no siblings
        for found in _linted("openai", f"openai {number}", tools):
            if found[1].code != "similar-tools":
                yield found


def _functions() -> Iterator[list[dict[str, Any]]]:
    for batch in batches(_lines(SHARED / "openai_functions.public.jsonl")):
        yield [function(line) for line in batch]


def _linted(kind: str, source: str, tools: list[dict[str, Any]]) -> Iterator[Found]:
    by_name = {str(tool.get("name")): tool for tool in tools}
    with project("corpus_lint") as made:
        try:
            made.import_tools(kind, tools)
        except FailedError as error:
            print(f"{source}: {error}")
            return
        inputs = read_inputs(str(made.root))
        report = lint_specs(inputs.specs, inputs.targets, inputs.settings).report
    for entry in report.entries:
        name = Path(entry.span.file).stem
        yield source, entry, by_name.get(name, {"name": name})


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    raise SystemExit(main())
