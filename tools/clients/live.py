"""Servers from npm, each with a script of ten typed calls, and its synchronous twin."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests import npm
from tools.corpus.score import Tally

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ROOT / ".conformance"
SCRIPTS: Final = Path(__file__).parent / "scripts"
DONE: Final = "10 calls, the last one refused\n"
_VERSION: Final = "2026.8.31"
_TYPESCRIPT: Final = ("typescript@7", "@modelcontextprotocol/sdk@1", "@types/node@20")
_OLDEST_NODE: Final = (20, 0)
_SYNC: Final = (
    (r"^from (\w+) import (\w+Client)$", r"from \1.sync import \2"),
    (r"^import asyncio\n", ""),
    (r"asyncio\.run\((.*)\)$", r"\1"),
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
)


SERVERS: Final = {"everything": ["stdio"], "memory": []}
"""Servers that npm has, and the words behind their commands."""


def _command(name: str) -> list[str]:
    """Return the command that starts a server."""
    return [str(PACKAGES / "node_modules/.bin" / f"mcp-server-{name}"), *SERVERS[name]]


def install() -> dict[str, str]:
    """Install the servers and TypeScript; return the environment of their programs."""
    path = npm.node_path(PACKAGES, _OLDEST_NODE)
    names = [f"@modelcontextprotocol/server-{each}@{_VERSION}" for each in SERVERS]
    npm.install(PACKAGES, "--ignore-scripts", *names, *_TYPESCRIPT, path=path)
    return {**os.environ, "PATH": path}


def write_live_clients(root: Path, environment: Mapping[str, str]) -> list[str]:
    """Write the clients of the servers, and the scripts; return the names of both."""
    made: list[str] = []
    for server in SERVERS:
        words = ("--out", str(root / "locks" / server), "--package", server, "--")
        command = [sys.executable, "-m", "toolgen", "client", *words, *_command(server)]
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        shutil.move(root / "locks" / server / server, root / server)
        text = (SCRIPTS / f"{server}.py").read_text()
        (root / f"run_{server}.py").write_text(text)
        for pattern, new in _SYNC:
            text = re.sub(pattern, new, text, flags=re.MULTILINE)
        (root / f"run_{server}_sync.py").write_text(text)
        made += [server, f"run_{server}.py", f"run_{server}_sync.py"]
    return made


def run_scripts(root: Path, environment: Mapping[str, str], score: Tally) -> None:
    """Run the scripts, each with a server of its own."""
    for server in SERVERS:
        for script in (f"run_{server}.py", f"run_{server}_sync.py"):
            folder = root / "files" / script
            folder.mkdir(parents=True)
            command: Sequence[str] = [sys.executable, script, str(folder), *_command(server)]
            done = subprocess.run(
                command, cwd=root, env=environment, capture_output=True, text=True, check=False
            )
            score.note(script, None if done.stdout == DONE else f"{done.stdout}{done.stderr}")
