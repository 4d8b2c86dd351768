"""The session of docs/migrate-fastmcp.md, which `tests/test_docs.py` leaves out: FastMCP is not installed there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.test_docs import is_as_shown

from .comparing import WITH_TEMPLATES, compare, python_path

pytestmark = pytest.mark.bridges

PAGE = (Path(__file__).parents[2] / "docs" / "migrate-fastmcp.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def run(folder: Path) -> None:
    """Write the files of the page and run its commands, in their order."""
    command = folder / "toolgen"
    run_cli = f"{WITH_TEMPLATES}; from toolgen.cli import main; raise SystemExit(main())"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{run_cli}" "$@"\n')
    command.chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": python_path()}
    for language, text in BLOCKS:
        if path := re.match(r"# ([\w./]+)\n", text) if language == "python" else None:
            (folder / path[1]).parent.mkdir(exist_ok=True)
            (folder / path[1]).write_text(text)
            continue
        parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
        for line, shown in zip(parts[1::2], parts[2::2], strict=True):
            done = subprocess.run(
                ["bash", "-c", line], cwd=folder, env=environment | {"NO_COLOR": "1"}, text=True, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
            assert is_as_shown(shown, done.stdout), f"$ {line}\n{done.stdout}"


INSIDE = """
import asyncio
from fastmcp import Client
from shop.inside import with_provider

async def main():
    async with Client(with_provider()) as client:
        assert sorted(tool.name for tool in await client.list_tools()) == ["list_things", "stock"]
        assert (await client.call_tool("stock", {"sku": "bolt"})).data == 40
        assert (await client.call_tool("list_things", {})).data == ["bolt", "nut"]

asyncio.run(main())
"""


def test_the_session_of_the_page(tmp_path: Path) -> None:
    run(tmp_path)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("stock", {"sku": "bolt"}),
        ("stock", {"sku": "gold"}),
        ("list_things", {}),
    ]
    result = compare(tmp_path, "shop.server:mcp", calls)
    assert result.is_equal, result
    # in a process of its own: other tests have imported another package `generated`
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), python_path()))}
    subprocess.run([sys.executable, "-c", INSIDE], cwd=tmp_path, env=environment, check=True, timeout=60)
