"""Typed clients of published servers: live ones of npm, and every server of the corpora behind mocks.

`python -m tools.clients`, as `make clients`: prints a table, and what failed. The exit code is 1 if something
did. Without the shared corpora, those of tests/corpus_sample are used.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import toolgen

from tests.corpora import corpus
from tools.corpus.score import Tally

from .calls import CallScore, compare_with_raw_calls, try_results
from .generated import CorpusClient, write_mcp_clients, write_openai_clients
from .live import install, run_scripts, write_live_clients
from .typescript import compile_typescript

_LIBRARY = "library"  # a folder with toolgen alone: checkers do not see an editable installation


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="make clients", description=__doc__)
    parser.add_argument("--results", type=int, default=60, help="results of each kind for each tool")
    args = parser.parse_args()
    environment = install()
    rows: dict[str, Tally] = {}
    with TemporaryDirectory(prefix="toolgen-clients-") as name:
        root = Path(name)
        sys.path.insert(0, name)
        packages = write_live_clients(root, environment)
        run_scripts(root, environment, rows.setdefault("scripts of ten calls, live servers", Tally()))
        made = [
            *write_mcp_clients(corpus("mcp_tools.public.jsonl"), root),
            *write_openai_clients(corpus("openai_functions.public.jsonl"), root),
        ]
        score = CallScore()
        rows |= {"answers equal to raw calls": score.equal}
        rows |= {"valid results that parse": score.parsed, "invalid results refused": score.refused}
        asyncio.run(_call(made, score, args.results))
        packages += [f"{each.package}/{each.package}" for each in made]
        for checker in ("mypy", "pyright"):
            _check(root, checker, packages, rows.setdefault(f"clean by {checker} strict", Tally()))
        compile_typescript(
            root / "typescript", environment, rows.setdefault("clean by tsc --strict", Tally())
        )
    return _page(rows)


async def _call(made: Sequence[CorpusClient], score: CallScore, results: int) -> None:
    for each in made:
        sys.path.insert(0, str(each.specs.parents[1] / each.package))
        await compare_with_raw_calls(each, score, 2 if each.package.startswith("mcp") else 1)
        await try_results(each, score, results)


def _check(root: Path, checker: str, packages: Sequence[str], score: Tally) -> None:
    """Check all packages and scripts in one process."""
    library = root / _LIBRARY
    library.mkdir(exist_ok=True)
    if not (library / "toolgen").is_symlink():
        (library / "toolgen").symlink_to(Path(toolgen.__file__).parent)
    folders = [str(Path(each).parent) for each in packages if "/" in each]
    settings = {
        "typeCheckingMode": "strict",
        "include": list(packages),
        "extraPaths": [_LIBRARY, *folders],
    }
    (root / "pyrightconfig.json").write_text(json.dumps(settings))
    paths = ":".join([_LIBRARY, *folders])
    words = ["--strict", "--no-incremental", "--follow-imports=silent", *packages]
    if checker == "pyright":
        words = ["--pythonpath", sys.executable]
    done = subprocess.run(
        [sys.executable, "-m", checker, *words],
        cwd=root,
        env={"MYPYPATH": paths, "PATH": "/usr/bin:/bin", "HOME": str(Path.home())},
        capture_output=True,
        text=True,
        check=False,
    )
    found = [line for line in done.stdout.splitlines() if "error" in line and "0 errors" not in line]
    if done.returncode and not found:
        found = [done.stdout + done.stderr]
    for package in packages:
        own = [line.strip() for line in found if f"{package}" in line]
        score.note(package, own[0] if own else None)
    if found and not score.misses:
        score.note(checker, found[0])


def _page(rows: dict[str, Tally]) -> int:
    print(
        "| what | result |", "|---|---|", *(f"| {name} | {tally} |" for name, tally in rows.items()), sep="\n"
    )
    misses = [f"{name}: {miss}" for name, tally in rows.items() for miss in tally.misses]
    print(*(["", f"{len(misses)} missed:", *misses[:50]] if misses else ["", "nothing missed"]), sep="\n")
    return 1 if misses or not all(tally.tried for tally in rows.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
