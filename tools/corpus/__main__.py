"""`make corpus`: print tables of what was preserved, and all differences with reasons.

The exit code is 1 if there is a difference. Without files, the shared corpus is used if it exists.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from tools.corpus.generated_values import measure_schemas
from tools.corpus.json_schema_suite import measure_suite
from tools.corpus.mcp import measure_mcp
from tools.corpus.mocks import MockScore, mocks_table
from tools.corpus.openai import measure_openai
from tools.corpus.openapi import measure_openapi, openapi_table
from tools.corpus.score import Score, reasons, table

SHARED = Path(os.environ.get("TOOLGEN_SHARED", Path(__file__).parents[3] / "shared")) / "corpus"

SCHEMAS = 300  # number of random schemas of each draft


def main() -> int:
    parser = argparse.ArgumentParser(prog="make corpus", description=__doc__)
    parser.add_argument(
        "--mcp", type=Path, metavar="FILE", help="JSONL: one tool a line, its server in `source`"
    )
    parser.add_argument("--openai", type=Path, metavar="FILE", help="JSONL: one function a line, its `calls`")
    parser.add_argument(
        "--openapi", type=Path, action="append", metavar="FILE", help="an OpenAPI document; repeat for more"
    )
    args = parser.parse_args()
    asked = args.mcp or args.openai or args.openapi
    mcp = args.mcp if asked else SHARED / "mcp_tools.public.jsonl"
    openai = args.openai if asked else SHARED / "openai_functions.public.jsonl"
    scores: list[Score] = []
    mocks: list[MockScore] = []
    suite = SHARED / "json_schema_test_suite"
    if not asked and suite.is_dir():
        scores += measure_suite(suite)
    if not asked:
        scores.append(measure_schemas(0, SCHEMAS))
    for path, measure in ((mcp, measure_mcp), (openai, measure_openai)):
        if path is None:
            continue
        if not path.is_file():
            if asked:
                parser.error(f"there is no file {path}")
            print(f"skipped: {path} is not there (set TOOLGEN_SHARED)", file=sys.stderr)
            continue
        mocks.append(MockScore(path.name))
        scores += measure(path, mocks[-1])
        print(f"{path.name}: {scores[-2].notes} notes of the importer", file=sys.stderr)
    documents = args.openapi or ([] if asked else sorted((SHARED / "openapi").glob("*.*")))
    for path in documents:
        if not path.is_file():
            parser.error(f"there is no file {path}")
    rows = [measure_openapi(path, f"corpus_openapi_{number}") for number, path in enumerate(documents)]
    if scores:
        print(table(scores))
        if notes := reasons(scores):
            print(notes)
    if rows:
        print(("\n" if scores else "") + openapi_table(rows))
    if mocks:
        print("\n" + mocks_table(mocks))
    misses = [f"{score.corpus}: {miss}" for score in scores for miss in score.misses]
    misses += [f"{row.document}: {miss}" for row in rows for miss in row.misses]
    misses += [f"{found.corpus}: mock: {miss}" for found in mocks for miss in found.answers.misses]
    print("", f"{len(misses) or 'nothing'} missed", *(f"- {miss}" for miss in misses), sep="\n")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
