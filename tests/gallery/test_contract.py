"""The gallery keeps its contracts, as `toolgen test` sees it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .test_examples import TOOLS

ROOT = Path(__file__).parents[2]
IN_THREADS = {"search_and_replace", "todo", "write"}
"""A cancelled call of these goes on writing files in its thread; test_files.py and test_replace.py are about them."""


@pytest.mark.slow
def test_tools_pass_toolgen_test() -> None:
    names = sorted({str(tool["name"]) for tool in TOOLS} - IN_THREADS)
    command = [sys.executable, "-m", "toolgen", "test", "--max-calls", "20", *names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
