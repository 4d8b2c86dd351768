"""A specs folder, and actions on it as a build system runs them: declared files, empty environment."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from toolgen.cli import main

from tests.cli.conftest import Done

ROOT = Path(__file__).parents[2]

TOOLGEN = [sys.executable, "-P", "-m", "toolgen"]
"""The command as a build system starts it: Python does not import from the working directory."""

ORDERS = "specs/schemas/orders.yaml"
"""A file of shared schemas, with this text:"""
SHARED = """\
$defs:
  OrderId: {type: string, pattern: "^ORD-[0-9]+$"}
"""
TOOL = """\
name: NAME
description: Look up one order.
input_schema:
  type: object
  additionalProperties: false
  required: [order_id]
  properties:
    order_id: {$ref: "schemas/orders.yaml#/$defs/OrderId"}
"""
PLAIN = """\
name: NAME
description: Say something.
input_schema: {type: object, additionalProperties: false}
"""


class Actions:
    """Actions in one folder, where this process is: specs in `specs`, the package in `out/generated`, pieces in `out`."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys
        (root / "specs" / "schemas").mkdir(parents=True)
        self.write(ORDERS, SHARED)

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def tool(self, name: str, text: str = PLAIN) -> str:
        """Write a spec; its path."""
        self.write(f"specs/{name}.yaml", text.replace("NAME", name))
        return f"specs/{name}.yaml"

    def __call__(self, *words: str) -> Done:
        """Run `toolgen WORDS` in this process."""
        code = main(list(words))
        return Done(code, *self._capsys.readouterr())

    def process(self, *words: str, env: Mapping[str, str] | None = None, umask: int = -1) -> Done:
        """Run `toolgen WORDS` in a separate process, in this folder, with only `env` as environment."""
        done = subprocess.run(
            [*TOOLGEN, *words],
            cwd=self.root,
            env=dict(env or {}),
            umask=umask,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def spec(self, path: str, *more: str) -> Done:
        """Run the action of one spec."""
        return self(*words_of(path), *more)

    def index(self, *more: str) -> Done:
        """Run the index action with all pieces."""
        pieces = sorted(path.relative_to(self.root).as_posix() for path in self.root.glob("out/*.json"))
        return self("generate", "--index", *pieces, "--out", "out/generated", *more)


def words_of(path: str) -> list[str]:
    """Return the command line of one spec's action."""
    piece = f"out/{Path(path).stem}.json"
    return [
        *("generate", "--spec", path, "--include-root", "specs", "--out", "out/generated"),
        *("--piece", piece, "--implementations", "examples.tools", "--server-version", "1.0.0"),
    ]


def tree(top: Path) -> dict[str, bytes]:
    """Return every file below `top`, except Python's byte-code."""
    return {
        path.relative_to(top).as_posix(): path.read_bytes()
        for path in sorted(top.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def modes(top: Path) -> set[int]:
    """Return the permissions of all files below `top`."""
    return {os.stat(path).st_mode & 0o777 for path in top.rglob("*") if path.is_file()}
