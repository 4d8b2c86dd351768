"""What is kept of one spec for the index: the noun between two actions of a build system."""

from __future__ import annotations

from dataclasses import dataclass

from toolgen.data.manifest import Manifest
from toolgen.data.package import PackageSettings
from toolgen.data.program import ProgramTool


@dataclass(frozen=True, slots=True)
class Piece:
    """One spec, understood, and what was made from what. Pieces that agree on all options make an index."""

    settings: PackageSettings
    targets: tuple[str, ...]  # names, without that of the base target
    manifest: Manifest  # of this spec alone
    tool: ProgramTool | None  # None: shared schemas, or a tool that is not enabled
