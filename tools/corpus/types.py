"""`make corpus-types`: code generated for published tools passes ruff, mypy --strict and pyright strict.

Every corpus gives half of the tools, evenly spaced. The exit code is 1 if a checker finds something.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import toolgen
from toolgen.language.names import tool_module

SHARED = Path(os.environ.get("TOOLGEN_SHARED", Path(__file__).parents[3] / "shared")) / "corpus"
CORPORA = {"mcp": "mcp_tools.public.jsonl", "openai": "openai_functions.public.jsonl"}
LIBRARY = "library"  # a folder with toolgen alone: checkers do not see an editable installation
STRICT = {"typeCheckingMode": "strict", "include": ["generated"], "extraPaths": [LIBRARY]}
CHECKS: tuple[tuple[str, ...], ...] = (
    ("ruff", "check", "--isolated", "generated"),
    ("ruff", "format", "--check", "--isolated", "generated"),
    ("mypy", "--strict", "generated"),
    ("pyright", "--pythonpath", sys.executable),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make corpus-types", description=__doc__)
    parser.add_argument("--tools", type=int, default=200, metavar="N", help="number of tools (default: 200)")
    args = parser.parse_args()
    failed = False
    for source, name in CORPORA.items():
        with TemporaryDirectory(prefix="toolgen-types-") as folder:
            _generate(Path(folder), source, _spaced(SHARED / name, args.tools // len(CORPORA)))
            for check in CHECKS:
                started = time.monotonic()
                done = _run(Path(folder), sys.executable, "-m", *check)
                verdict = "clean" if done.returncode == 0 else f"exit code {done.returncode}\n{done.stdout}"
                seconds = time.monotonic() - started
                print(f"{name}: {' '.join(check[:2])}: {seconds:.0f} s: {verdict}", flush=True)
                failed = failed or done.returncode != 0
    return int(failed)


def _spaced(path: Path, number: int) -> list[str]:
    """Return `number` lines, evenly spaced, of tools whose Python names differ."""
    lines = {tool_module(_name(line)): line for line in path.read_text(encoding="utf-8").splitlines()}
    step = max(1, len(lines) // number)
    return [*lines.values()][::step][:number]


def _name(line: str) -> str:
    found = json.loads(line)
    return str(found.get("name") or found["function"]["name"])


def _generate(folder: Path, source: str, lines: Sequence[str]) -> None:
    (folder / LIBRARY).mkdir()
    (folder / LIBRARY / "toolgen").symlink_to(Path(toolgen.__path__[0]))
    (folder / "toolgen.toml").write_text('specs = "specs"\noutput = "generated"\n')
    (folder / "pyrightconfig.json").write_text(json.dumps(STRICT))
    (folder / "tools.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    for words in (("import", source, "tools.jsonl", "--into", "specs"), ("generate",)):
        done = _run(folder, sys.executable, "-m", "toolgen", *words)
        if done.returncode:
            raise SystemExit(f"toolgen {words[0]}: exit code {done.returncode}\n{done.stderr}")
    made = len([*(folder / "generated/tools").glob("*.py")]) - 1
    print(f"{source}: {made} tools generated", flush=True)


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "TOOLGEN_CACHE_DIR": str(folder / "cache"), "MYPYPATH": LIBRARY}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
