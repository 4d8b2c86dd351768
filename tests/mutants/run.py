"""Run tests with one fault in the product each: libraries are imported once, each fault gets a fork of that process.

`python -m tests.mutants.run` reads a JSON list of `{"file": …, "old": …, "new": …, "tests": [...]}` from stdin
and prints a list of `{"code": …, "output": "…"}`. The module of `file` is compiled from its text with `old`
replaced by `new`; without `file` there is no fault.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import traceback
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from tests.preloaded.forking import postpone_grammars

AT_ONCE = 2
ROOT = Path(__file__).parents[2]
GENERATOR = ROOT / "generator"
LIBRARIES = ("jinja2", "jsonschema", "jsonschema_rs", "mcp", "openai.resources.chat", "pydantic", "yaml")
OPTIONS = (
    *("-q", "--tb=short", "-W", "ignore::pytest.PytestAssertRewriteWarning"),
    *("-p", "no:cacheprovider", "-p", "no:xdist"),
)


class FaultyLoader(SourceFileLoader):
    """Loads a module from another text than its file's."""

    def __init__(self, fullname: str, path: str, text: str) -> None:
        super().__init__(fullname, path)
        self.text = text

    def get_code(self, fullname: str) -> CodeType:
        """Compile the text."""
        return compile(self.text, self.path, "exec", dont_inherit=True)


class FaultFinder(MetaPathFinder):
    """Finds one module of the product with a fault."""

    def __init__(self, file: str, text: str) -> None:
        self.path = ROOT / file
        self.name = ".".join(self.path.relative_to(GENERATOR).with_suffix("").parts)
        self.text = text

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """Return the faulty module by its name."""
        if fullname != self.name:
            return None
        loader = FaultyLoader(fullname, str(self.path), self.text)
        return spec_from_file_location(fullname, self.path, loader=loader)


def faulty_text(fault: dict[str, Any]) -> str:
    """Return the text of a module with a fault. Raises ValueError unless `old` is in it exactly once."""
    text = (ROOT / fault["file"]).read_text(encoding="utf-8")
    if text.count(fault["old"]) != 1:
        raise ValueError(f"{fault['file']} must have this text once: {fault['old']}")
    return text.replace(fault["old"], fault["new"])


def main() -> int:
    """Run all of stdin's faults, two at a time."""
    faults: list[dict[str, Any]] = json.load(sys.stdin)
    postpone_grammars()
    for name in LIBRARIES:
        importlib.import_module(name)
    assert "toolgen" not in sys.modules, "each fork imports the product with its fault"
    sys.stdout.flush()
    codes: dict[int, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        running: dict[int, int] = {}
        for number, fault in enumerate(faults):
            if len(running) == AT_ONCE:
                _wait(running, codes)
            pid = os.fork()
            if pid == 0:
                _run(fault, _output(Path(folder), number))
            running[pid] = number
        while running:
            _wait(running, codes)
        found = [
            {"code": codes[number], "output": _output(Path(folder), number).read_text(errors="replace")}
            for number in range(len(faults))
        ]
    json.dump(found, sys.stdout)
    return 0


def _output(folder: Path, number: int) -> Path:
    return folder / f"{number}.txt"


def _wait(running: dict[int, int], codes: dict[int, int]) -> None:
    pid, status = os.wait()
    codes[running.pop(pid)] = os.waitstatus_to_exitcode(status)


def _run(fault: dict[str, Any], output: Path) -> None:
    """Run the tests in the fork, with their output in a file; exit with pytest's code."""
    code = 70
    try:
        file = os.open(output, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, 1)
        os.dup2(file, 2)
        if "file" in fault:
            sys.meta_path.insert(0, FaultFinder(fault["file"], faulty_text(fault)))
        # pytest's own temporary folders are shared: each run tries to remove what another is removing.
        code = int(pytest.main([*OPTIONS, f"--basetemp={output.with_suffix('')}", *fault["tests"]]))
        sys.stdout.flush()
    except BaseException:  # the fork must not continue with its parent's code
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
