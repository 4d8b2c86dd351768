"""A configured folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from toolgen.data.source import Span
from toolgen.project.toml import Table

FILE = "toolgen.toml"
PYPROJECT = "pyproject.toml"
TABLE = "tool.toolgen"


@dataclass(frozen=True, slots=True)
class Project:
    """A configured folder. Its paths are posix, relative to `root`, and do not leave it."""

    root: Path
    file: str  # the configuration's file name
    text: str  # and what is written in it
    specs: str = "specs"
    output: str = "generated"
    implementations: str | None = None  # dotted name of the package with the hand-written tools
    targets: tuple[str, ...] | None = None  # None: every target that is built in
    templates: str | None = None
    coerce: bool = True
    server_name: str | None = None  # None: the package's
    server_version: str = "0.0.0"
    server_instructions: str | None = None

    @property
    def import_root(self) -> Path:
        """The folder that must be on `sys.path`: the project's, or its `src` where that is no package."""
        return self.root / "src" if self._strips_src(self.output) else self.root

    @property
    def package(self) -> str:
        """The output folder's import name. A leading `src/` that is no package itself is left out."""
        parts = self.output.split("/")
        return ".".join(parts[1:] if self._strips_src(self.output) else parts)

    def folder_of(self, dotted: str) -> Path:
        """Where the package or module `dotted` lives or would live, without an ending."""
        return self.import_root.joinpath(*dotted.split("."))

    def place_of(self, key: str, value: str) -> Span:
        """Where the configuration says `value` for `key`."""
        return Table(self.file, self.text, "" if self.file == FILE else TABLE, {}).value(key, value)

    def _strips_src(self, path: str) -> bool:
        return path.startswith("src/") and not (self.root / "src" / "__init__.py").exists()
