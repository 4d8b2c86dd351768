"""Run tests under several mutants: the product is imported once, each mutant gets a fork of that process.

`python -m tests.mutants.run` reads `{"<mutant>": ["<test>", …]}` from stdin and prints
`{"<mutant>": {"code": …, "output": "…"}}`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import traceback
from pathlib import Path

import pytest

AT_ONCE = 2
PRODUCT = (
    "mcp",
    "openai",
    "toolgen.cli",
    "toolgen.runtime.toolkit",
    "toolgen.runtime.execution.call",
    "toolgen.runtime.adapters.mcp.server",
    "generated.mcp_server",
    "generated.openai_tools",
    "generated.anthropic_tools",
    "generated.gemini_tools",
    "generated.bedrock_tools",
    "examples.tools",
)
OPTIONS = (
    *(
        "-q",
        "--tb=short",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
    ),  # the product is imported already
    *("-p", "no:cacheprovider", "-p", "no:xdist", "-p", "tests.mutants.plugin"),
)


def main() -> int:
    """Run all of stdin's mutants, two at a time."""
    wanted: dict[str, list[str]] = json.load(sys.stdin)
    for name in PRODUCT:
        importlib.import_module(name)
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as folder:
        running: dict[int, str] = {}
        codes: dict[str, int] = {}
        for mutant, tests in wanted.items():
            if len(running) == AT_ONCE:
                _wait(running, codes)
            pid = os.fork()
            if pid == 0:
                _run(mutant, tests, Path(folder))
            running[pid] = mutant
        while running:
            _wait(running, codes)
        outputs = {mutant: _output(Path(folder), mutant).read_text(errors="replace") for mutant in wanted}
    json.dump({mutant: {"code": codes[mutant], "output": outputs[mutant]} for mutant in wanted}, sys.stdout)
    return 0


def _output(folder: Path, mutant: str) -> Path:
    return folder / f"{mutant or 'none'}.txt"


def _wait(running: dict[int, str], codes: dict[str, int]) -> None:
    pid, status = os.wait()
    codes[running.pop(pid)] = os.waitstatus_to_exitcode(status)


def _run(mutant: str, tests: list[str], folder: Path) -> None:
    """Run the tests in the fork, with their output in a file; exit with pytest's code."""
    code = 70
    try:
        file = os.open(_output(folder, mutant), os.O_WRONLY | os.O_CREAT)
        os.dup2(file, 1)
        os.dup2(file, 2)
        os.environ["TOOLGEN_MUTANT"] = mutant
        code = int(pytest.main([*OPTIONS, *tests]))
        sys.stdout.flush()
    except BaseException:  # the fork must not continue with its parent's code
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
