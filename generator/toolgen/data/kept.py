"""What is kept of one spec between two runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toolgen.data.changes import Tree
from toolgen.data.diagnostic import Diagnostic
from toolgen.data.package import Tool


@dataclass(frozen=True, slots=True)
class Kept:
    """What one file below the specs folder comes to by itself, as long as it and `uses` stay as they are."""

    file: str  # of a tool, as the user would type it; "": shared schemas
    uses: Mapping[str, str]  # shared file, below the specs folder → hash of what it held
    warnings: tuple[Diagnostic, ...] = ()
    tool: Tool | None = None  # None: shared schemas, or a tool that is not enabled
    tree: Tree | None = None  # the tool's own files, laid out
    claims: tuple[str, ...] = ()  # names, each with what it names: no other tool may have one of them

    @property
    def is_shared(self) -> bool:
        """Whether it holds schemas for others, and is no tool."""
        return not self.file
