"""The demo compares whole schemas and runs the calls that it prints; it fails if something is not as printed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

NULL_SCHEMAS = """
from copy import deepcopy
import generated.openai_tools as openai_tools
for tool in openai_tools.CHAT_TOOLS:
    tool["function"]["parameters"] = deepcopy(tool["function"]["parameters"])
    properties = tool["function"]["parameters"]["properties"]
    properties.update({name: {"type": "null"} for name in properties})
"""
ANOTHER_DESCRIPTION = """
import generated.anthropic_tools as anthropic_tools
anthropic_tools.TOOLS[3]["description"] += "!"
"""
GENERATE_FAILS = """
import subprocess, sys
run = subprocess.run
def failing(command, **options):
    if command[-1] == "generate" and "-C" not in command:
        command = [sys.executable, "-c", "import sys; sys.exit('specs/echo.yaml: error')"]
    return run(command, **options)
subprocess.run = failing
"""


def demo(change: str) -> subprocess.CompletedProcess[str]:
    """Run the demo in a process that differs from the specs."""
    code = f"import runpy\n{change}\nrunpy.run_module('examples.demo', run_name='__main__')"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (NULL_SCHEMAS, "OpenAI Chat publishes what the specs say"),
        pytest.param(ANOTHER_DESCRIPTION, "Anthropic publishes what the specs say", marks=pytest.mark.slow),
        (GENERATE_FAILS, "toolgen generate succeeds"),
    ],
    ids=["every schema is null", "another description", "generate fails"],
)
def test_the_demo_fails_if_its_output_is_not_true(change: str, says: str) -> None:
    done = demo(change)
    assert done.returncode == 1, done.stdout[-2000:] + done.stderr
    assert says in done.stderr
