"""The session of docs/migrate-fastmcp.md, which `tests/test_docs.py` leaves out: FastMCP is not installed there."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client

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


def test_the_session_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("stock", {"sku": "bolt"}),
        ("stock", {"sku": "gold"}),
        ("list_things", {}),
    ]
    result = compare(tmp_path, "shop.server:mcp", calls)
    assert result.is_equal, result
    monkeypatch.syspath_prepend(tmp_path)
    inside = import_module("shop.inside")

    async def answers() -> list[Any]:
        async with Client(inside.with_provider()) as client:
            assert sorted(tool.name for tool in await client.list_tools()) == ["list_things", "stock"]
            return [(await client.call_tool(name, arguments)).data for name, arguments in calls[::2]]

    assert asyncio.run(answers()) == [40, ["bolt", "nut"]]
