"""A temporary project: filled by `toolgen import` and `toolgen generate`, then imported."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

from toolgen.cli import main


class FailedError(Exception):
    """A command failed, with this message."""


class Project:
    """A configured folder with `coerce` off, so that exactly what the schema accepts is accepted."""

    def __init__(self, root: Path, package: str) -> None:
        self.root, self.package = root, package
        (root / ".git").mkdir()
        (root / "toolgen.toml").write_text(f'output = "{package}"\ncoerce = false\n')

    def take(self, kind: str, tools: Sequence[Mapping[str, Any]]) -> int:
        """Import `tools` and generate; return the number of notes of the importer."""
        notes = self.import_tools(kind, tools)
        self.run("generate", "--format", "json")
        return notes

    def import_tools(self, kind: str, tools: Sequence[Mapping[str, Any]]) -> int:
        """Import `tools`; return the number of notes of the importer."""
        (self.root / "source.json").write_text(json.dumps(tools), encoding="utf-8")
        words = ("import", kind, "source.json", "--into", "specs", "--format", "json")
        return len(json.loads(self.run(*words))["notes"])

    def module(self, name: str) -> ModuleType:
        """Import a module of the generated package."""
        return importlib.import_module(f"{self.package}.{name}")

    def export(self) -> list[dict[str, Any]]:
        """Return the output of `toolgen export mcp`."""
        tools: list[dict[str, Any]] = json.loads(self.run("export", "mcp"))["tools"]
        return tools

    def run(self, *words: str) -> str:
        """Return what a command prints. Raises FailedError."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(["-C", str(self.root), *words])
        if code != 0:
            raise FailedError(
                f"toolgen {words[0]}: exit code {code}: {(err.getvalue() or out.getvalue())[:2000]}"
            )
        return out.getvalue()


@contextmanager
def project(package: str) -> Iterator[Project]:
    """Yield a project; remove it and its modules afterwards."""
    with TemporaryDirectory(prefix="toolgen-corpus-") as folder:
        sys.path.insert(0, folder)
        importlib.invalidate_caches()
        try:
            yield Project(Path(folder), package)
        finally:
            sys.path.remove(folder)
            for name in [name for name in sys.modules if name.partition(".")[0] == package]:
                del sys.modules[name]
