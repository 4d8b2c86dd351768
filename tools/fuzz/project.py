"""A temporary project, and toolgen's commands in it: in this process, or as processes."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

FOREIGN = "toolgen-fuzz-secret-words"
"""Contents of `../secret.yaml`, relative to the project, which no reference may reach."""
CONFIGURATION = 'specs = "specs"\noutput = "generated"\ncoerce = true\n'
_CONTROLS = frozenset(map(chr, [*range(32), 127, *range(128, 160), 0x202E, 0x2028, 0x2029])) - {"\n", "\t"}


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of a command."""

    code: int
    out: str
    err: str

    def data(self) -> Any:
        """Return the JSON document on stdout."""
        return json.loads(self.out)

    def controls(self) -> list[str]:
        """Return characters on stderr that control a terminal or forge a line."""
        return sorted({ascii(char) for char in self.err if char in _CONTROLS})


@dataclass(frozen=True, slots=True)
class Project:
    """A folder with a configuration; its cache is beside it."""

    root: Path
    cache: Path

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def toolgen(self, *words: str) -> Ran:
        """Run a command in this process; an unexpected exception is exit code 3, as in the real command."""
        from toolgen.cli import main

        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        before = os.environ.copy()
        os.environ.update(self.environment())
        try:
            with chdir(self.root), open(os.devnull) as nothing, redirect_stdout(out), redirect_stderr(err):
                stdin, sys.stdin = sys.stdin, nothing
                try:
                    code = main(list(words))
                finally:
                    sys.stdin = stdin
        finally:
            os.environ.clear()
            os.environ.update(before)
        texts = (stream.buffer.getvalue().decode() for stream in (out, err))
        return Ran(code, *texts)

    def environment(self) -> Mapping[str, str]:
        return {**os.environ, "TOOLGEN_CACHE_DIR": str(self.cache)}


@contextmanager
def project() -> Iterator[Project]:
    """Yield a temporary project."""
    with TemporaryDirectory(prefix="toolgen-fuzz-") as folder:
        root = Path(folder, "project")
        (root / "specs").mkdir(parents=True)
        (root / ".git").mkdir()
        Path(folder, "secret.yaml").write_text(f'{{"$defs": {{"A": {{"description": "{FOREIGN}"}}}}}}\n')
        (root / "toolgen.toml").write_text(CONFIGURATION)
        yield Project(root, Path(folder, "cache"))
