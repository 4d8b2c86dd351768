"""`python -m benchmarks`: measure, and print the table of docs/performance.md. See `make bench`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from . import groups, installation, report
from .compare import compare
from .gateway import gateway
from .http import http
from .measure import Samples
from .process import Wrong
from .rows import ROWS

PACKAGES = ("datamodel-code-generator", "jsonschema-rs", "mcp", "pydantic", "ruff")
GROUPS: dict[str, tuple[Callable[[groups.Bench, int], Samples], tuple[int, ...]]] = {
    "start": (groups.start, (10, 1000)),
    "check": (groups.check, (10, 1000)),
    "generate": (groups.generate, (10, 40, 1000)),
    "catalog": (groups.catalog, (5000,)),
    "server": (groups.server, (10, 1000)),
    "call": (groups.call, (10,)),
    "http": (http, (10,)),
    "gateway": (gateway, (10,)),
    "client": (groups.client, (10,)),
}


def main() -> int:
    """Run the command. Return 0 if everything was measured; 2 if something did not do what it should."""
    args = _arguments()
    work = Path("build/bench").resolve()
    work.mkdir(parents=True, exist_ok=True)
    os.environ["BENCH_CLOCK"] = args.clock
    try:
        if args.compare:
            print(compare(args.compare, work, args.rounds, args.sizes or [100, 1000]))
            return 0
        measured = _measured(args, work)
    except Wrong as error:
        print(f"\nnot measured: {error}", file=sys.stderr)
        return 2
    print(report.as_markdown(report.table(measured)))
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    print(f"\n{system}, Python {platform.python_version()}, {args.clock} time; {packages}")
    if args.json:
        figures = [{"group": group, "size": size, "cases": of} for (group, size), of in measured.items()]
        args.json.write_text(json.dumps(figures, indent=1), "utf-8")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--rows", type=_words, help=f"only these: {', '.join(row.id for row in ROWS)}")
    parser.add_argument("--sizes", type=_numbers, help="numbers of specs, such as 10,100")
    parser.add_argument("--rounds", type=int, default=0, help="rounds of every group (default: 3 to 41)")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="cpu for a busy machine")
    parser.add_argument("--json", type=Path, help="write all figures to this file, too")
    parser.add_argument("--compare", metavar="COMMIT", help="only compare this checkout with COMMIT")
    return parser.parse_args()


def _words(text: str) -> list[str]:
    known, asked = {row.id for row in ROWS}, text.replace(",", " ").split()
    if unknown := [word for word in asked if word not in known]:
        raise argparse.ArgumentTypeError(
            f"there is no row {unknown[0]!r}; the rows are {', '.join(sorted(known))}"
        )
    return asked


def _numbers(text: str) -> list[int]:
    numbers = sorted({int(word) for word in text.replace(",", " ").split()})
    if numbers and numbers[0] < 1:
        raise argparse.ArgumentTypeError("a number of specs is at least 1")
    return numbers


def _measured(args: argparse.Namespace, work: Path) -> report.Measured:
    bench = groups.Bench(work, installation.unpack(None, work, "head"), args.rounds, args.clock)
    wanted = {row.group for row in ROWS if not args.rows or row.id in args.rows}
    return {
        (name, size): group(bench, size)
        for name, (group, sizes) in GROUPS.items()
        if name in wanted
        for size in args.sizes or sizes
    }


if __name__ == "__main__":
    sys.exit(main())
