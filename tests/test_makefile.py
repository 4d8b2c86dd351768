"""The Makefile passes only options that the commands have."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

MAKEFILE = Path(__file__).parents[1] / "Makefile"
OPTION = r"--[a-z][a-z-]*"


def test_every_option_of_the_makefile_exists() -> None:
    text = MAKEFILE.read_text()
    targets = set(re.findall(r"^([a-z-]+):.*##", text, re.MULTILINE))
    variables = {f"{name}=x" for name in re.findall(r"\$\(if \$\((\w+)\)", text)}

    targets.remove("test-all")  # Make runs lines with $(MAKE) although it is dry
    found = _options(*targets, *variables)

    assert {("benchmarks", "--rows"), ("tools.mutants", "--clean")} <= found
    unknown = [(module, option) for module, option in sorted(found) if f'"{option}"' not in _source(module)]
    assert not unknown


def _options(*arguments: str) -> set[tuple[str, str]]:
    """Return the modules of ours that `make` would run, each with its options."""
    command = ["make", "--dry-run", "--always-make", f"PYTHON={sys.executable}", *arguments]
    done = subprocess.run(command, cwd=MAKEFILE.parent, capture_output=True, text=True, check=True)
    lines = done.stdout.replace("\\\n", " ").splitlines()
    calls = [re.search(r" -m ((?:benchmarks|examples|tools)\b[\w.]*)(.*)", line) for line in lines]
    return {(call[1], option) for call in calls if call for option in re.findall(OPTION, call[2])}


def _source(module: str) -> str:
    """Return the source of a module that `python -m` runs."""
    found = find_spec(module)
    if found is not None and found.submodule_search_locations is not None:
        found = find_spec(f"{module}.__main__")
    assert found is not None, module
    assert found.origin is not None, module
    return Path(found.origin).read_text()
