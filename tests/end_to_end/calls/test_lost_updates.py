"""Concurrent calls and processes do not lose updates of the gallery's data."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.preloaded import python_command
from tests.samples import sample

ROOT = Path(__file__).parents[3]
ADDING = """
import asyncio, json, sys
from pathlib import Path
from examples.tools import context
from generated import catalog

async def agree(asked):
    return True

async def main(folder, tool, name, start):
    while not Path(start).exists():
        await asyncio.sleep(0.01)
    toolkit = catalog.toolkit(context=context(Path(folder)))
    said = []
    async def one(number):
        text = f"{name} {number}"
        if tool == "todo":
            arguments = {"add": [text]}
        else:
            arguments = {"path": "notes/log.txt", "text": text + chr(10), "mode": "append"}
        response = await toolkit.call(tool, arguments, confirm=agree, scopes=frozenset({"workspace:write"}))
        if response.success:
            said.append(text)
        elif response.error.code not in ("changed_meanwhile", "changed_since_confirmed"):
            raise SystemExit(response.as_text())
    for batch in range(3):
        await asyncio.gather(*(one(batch * 12 + each) for each in range(12)))
    print(json.dumps(said))

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize(("tool", "file"), sample([("todo", "todo.md"), ("write", "notes/log.txt")], (0,)))
def test_concurrent_calls_and_processes_lose_no_update(tmp_path: Path, tool: str, file: str) -> None:
    from examples.store.database import workspace_folder

    workspace = workspace_folder(tmp_path)
    padding = "".join(
        f"# {number} {'x' * 300}\n" for number in range(1_000)
    )  # lets other writers run in between
    (workspace / file).write_text(padding)
    start = tmp_path / "start"
    running = [
        subprocess.Popen(
            [*python_command(os.environ), "-c", ADDING, str(tmp_path), tool, name, str(start)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("ann", "bob", "eve")
    ]
    start.touch()
    said: list[str] = []
    for process in running:
        out, _ = process.communicate(timeout=240)
        assert process.returncode == 0
        said += json.loads(out)
    lines = (workspace / file).read_text().splitlines()
    kept = [line.removeprefix("- [ ] ") for line in lines if line and not line.startswith("#")]
    assert sorted(kept) == sorted(said)
    assert said, "some of it was written"
    assert {path.name for path in workspace.iterdir() if path.name.startswith(".")} == set()
