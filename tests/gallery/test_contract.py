"""The gallery keeps its contracts, as `toolgen test` sees it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_every_tool_passes_toolgen_test() -> None:
    command = [sys.executable, "-m", "toolgen", "test", "--max-calls", "20"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
