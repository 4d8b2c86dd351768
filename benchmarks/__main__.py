"""`python -m benchmarks`: measure, print tables, update docs/performance.md. See `make bench`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from . import groups, installation, pages, report
from .clients import client, client_import
from .compare import compare
from .documents import FILES, documents
from .gateway import gateway
from .http import http, observed, protected
from .imports import adopt, models_by_template, whose
from .measure import Samples
from .page import write_page
from .process import Wrong
from .rows import ROWS
from .verify import verify
from .worst import worst

RESULTS = Path(__file__).with_name("results")
PACKAGES = (
    "datamodel-code-generator",
    "fastmcp",
    "jsonschema-rs",
    "mcp",
    "openapi-python-client",
    "pydantic",
    "ruff",
)
SIZED: dict[str, tuple[Callable[[groups.Bench, int], Samples], tuple[int, ...]]] = {
    "start": (groups.start, (10, 1000)),
    "check": (groups.check, (10, 100, 1000)),
    "breaking": (groups.breaking, (1000,)),
    "generate": (groups.generate, (10, 40, 100, 1000)),
    "generate-plain": (groups.generate_plain, (10, 40, 100, 1000)),
    "watch": (groups.watch, (1000,)),
    "watch-plain": (groups.watch_plain, (1000,)),
    "adopt": (adopt, (100, 1000)),
    "keystrokes": (groups.keystrokes, (1000,)),
    "pages": (pages.pages, (1000,)),
    "page-reloads": (pages.page_reloads, (22,)),
    "memory": (groups.memory, (1000,)),
    "catalog": (groups.catalog, (5000,)),
    "server": (groups.server, (10, 1000)),
    "mock": (groups.mock, (100, 1000)),
    "call": (groups.call, (10,)),
    "http": (http, (10,)),
    "observed": (observed, (10,)),
    "protected": (protected, (10,)),
    "gateway": (gateway, (10,)),
    "client": (client, (10,)),
    "client-import": (client_import, (1000,)),
    "refusal": (groups.refusal, (10,)),
    "blocks": (groups.blocks, (10,)),
    "worst": (worst, (10,)),
}


def main() -> int:
    """Run the command. Return 0 if everything was measured; 2 if something did not do what it should."""
    args = _arguments()
    work = Path(args.work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    if os.environ.get("PYTHONDONTWRITEBYTECODE"):
        print("PYTHONDONTWRITEBYTECODE is set: measured commands run without it", file=sys.stderr)
    os.environ["BENCH_CLOCK"] = args.clock
    try:
        if args.compare:
            print(compare(args.compare, work, args.rounds, args.sizes or [100, 1000]))
            return 0
        if args.page:
            write_page(json.loads((RESULTS / "summary.json").read_text("utf-8")))
            return 0
        installation.install(work)
        data = _measured(args, work)
    except Wrong as error:
        print(f"\nnot measured: {error}", file=sys.stderr)
        return 2
    _show(data)
    _keep(data, whole=not (args.rows or args.sizes or args.rounds or args.clock == "cpu"), into=args.json)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--rows", type=_words, help=f"only these: {', '.join(row.id for row in ROWS)}")
    parser.add_argument("--sizes", type=_numbers, help="numbers of specs, such as 10,100")
    parser.add_argument("--rounds", type=int, default=0, help="rounds of every group (default: 3 to 41)")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="cpu for a busy machine")
    parser.add_argument(
        "--all", action="store_true", help="also other tools at 5,000 specs; takes half an hour more"
    )
    parser.add_argument("--json", type=Path, help="write all figures to this file, too")
    parser.add_argument(
        "--work", default="build/bench", help="folder for the projects (default: build/bench)"
    )
    parser.add_argument("--compare", metavar="COMMIT", help="only compare this checkout with COMMIT")
    parser.add_argument(
        "--page", action="store_true", help="only update docs/performance.md from the stored figures"
    )
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


def _measured(args: argparse.Namespace, work: Path) -> dict[str, Any]:
    began = time.monotonic()
    bench = groups.Bench(work, args.rounds, args.clock, args.all)
    wanted = {row.group for row in ROWS if not args.rows or row.id in args.rows}
    loaded = verify(work, 10)
    measured: dict[tuple[str, int], Samples] = {}
    for name, (group, sizes) in SIZED.items():
        if name in wanted and name in ("pages", "page-reloads") and (needs := pages.missing()):
            print(f"no figure for {name}: install {needs}", file=sys.stderr)
        elif name in wanted:
            for size in args.sizes or (*sizes, *((5000,) if args.all and len(sizes) > 1 else ())):
                measured[name, size] = group(bench, size)
    for name in ("scale", "scale-plain"):
        if name in wanted:
            measured |= _scale(bench, args.sizes, name)
    measured |= documents(bench, wanted & FILES.keys())
    facts = {**_facts(), "models by template": models_by_template(work), "check loads": loaded}
    return report.as_data(measured, {**facts, "minutes": _minutes(began)})


def _scale(bench: groups.Bench, sizes: list[int] | None, name: str) -> dict[tuple[str, int], Samples]:
    chosen = tuple(sizes or groups.SCALE)
    if len(chosen) < 3:
        print(f"no figure for {name}: it needs three sizes, not {len(chosen)}", file=sys.stderr)
        return {}
    return {(name, chosen[-1]): groups.scale(bench, chosen, plain=name == "scale-plain")}


def _facts() -> dict[str, Any]:
    return {
        "date": time.strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "packages": {name: version(name) for name in PACKAGES},
        "clock": os.environ["BENCH_CLOCK"],
        "load": round(os.getloadavg()[0], 1),
        "imported": whose(),
    }


def _minutes(began: float) -> float:
    return round((time.monotonic() - began) / 60, 1)


def _show(data: dict[str, Any]) -> None:
    measured, facts = report.from_data(data), data["facts"]
    print(report.as_text(report.targets(measured)), end="\n\n")
    print(report.as_text(report.peers(measured)), end="\n\n")
    for verb, names in facts["check loads"].items():
        print(f"{verb} imports {', '.join(names) or 'none'} of the heavy modules")
    if "jinja2" not in facts["check loads"]["check without cache"]:
        print("`check` without cache printed no files; see docs/performance.md")
    print(f"imported tools: {facts['imported']}")
    print(f"a template prints the models of {facts['models by template']} of them, the engine the others")
    where = f"{facts['system']}, Python {facts['python']}"
    print(f"{where}; {facts['minutes']} minutes, {facts['clock']} time; byte-code compiled for all")


def _keep(data: dict[str, Any], *, whole: bool, into: Path | None) -> None:
    """Store the figures; update the summary and the page only if everything was measured."""
    text = json.dumps(data, indent=1) + "\n"
    RESULTS.mkdir(exist_ok=True)
    for path in ([into] if into else []) + [RESULTS / "latest.json"]:
        path.write_text(text, "utf-8")
    if whole:
        (RESULTS / "summary.json").write_text(text, "utf-8")
        write_page(data)
    else:
        print("only a part was measured: docs/performance.md is not updated", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
