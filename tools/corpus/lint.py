"""`python -m tools.corpus.lint`: lint the public corpora; print the findings per rule, or draw some of them.

python -m tools.corpus.lint --draw 100 --seed 26
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolgen.building.project_build import read_inputs
from toolgen.linting import lint_specs
from toolgen.report.entry import Entry

from tools.corpus.__main__ import SHARED
from tools.corpus.openai import batches, function
from tools.corpus.project import FailedError, project

Found = tuple[str, Entry, dict[str, Any]]


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draw", type=int, metavar="N", help="print N findings as lines of JSON")
    parser.add_argument("--seed", type=int, default=26)
    args = parser.parse_args()
    found = {"mcp": list(_mcp()), "openai": list(_openai())}
    if args.draw:
        everything = [each for corpus in found.values() for each in corpus]
        for source, entry, tool in random.Random(args.seed).sample(everything, args.draw):
            row = {"source": source, "file": entry.span.file, "code": entry.code, "message": entry.message}
            print(json.dumps({**row, "tool": tool}, ensure_ascii=False))
        return 0
    counts = {corpus: Counter(entry.code for _, entry, _ in each) for corpus, each in found.items()}
    print("| rule | MCP servers | OpenAI functions |\n|---|---|---|")
    for code in sorted(set().union(*counts.values())):
        print(f"| `{code}` | {counts['mcp'][code]:,} | {counts['openai'][code]:,} |")
    return 0


def _mcp() -> Iterator[Found]:
    servers: dict[str, list[dict[str, Any]]] = {}
    for tool in _lines(SHARED / "mcp_tools.public.jsonl"):
        servers.setdefault(str(tool.pop("source", "")), []).append(tool)
    for server, tools in servers.items():
        yield from _linted("mcp", server, tools)


def _openai() -> Iterator[Found]:
    for number, batch in enumerate(batches(_lines(SHARED / "openai_functions.public.jsonl"))):
        # functions of different applications are no siblings
        for found in _linted("openai", f"openai {number}", [function(line) for line in batch]):
            if found[1].code != "similar-tools":
                yield found


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
