"""Specs whose references are bound, as the steps after that check and lint them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.program import ProgramTool, SharedFile
from toolgen.language.references.bundle import Bound
from toolgen.schema.graph import Graph


@dataclass(frozen=True, slots=True)
class BoundTool:
    """A tool with its bound schemas, by the names of their fields."""

    tool: ProgramTool
    schemas: Mapping[str, Bound]
    graphs: Mapping[str, Graph]  # of the schemas without faults
    faults: tuple[Diagnostic, ...]  # of references


@dataclass(frozen=True, slots=True)
class BoundSpecs:
    """The tools and the shared files of the specs."""

    tools: tuple[BoundTool, ...]
    shared: Mapping[str, SharedFile]  # by path below the specs folder
    faults: tuple[Diagnostic, ...]  # of references in shared files
