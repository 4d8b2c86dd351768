"""What one spec compiles to: the unit that the cache stores, a build action writes, and linking joins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from toolgen.data.changes import Tree
from toolgen.data.diagnostic import Diagnostic
from toolgen.data.package import Tool
from toolgen.data.source import Source
from toolgen.schema.document import JsonPath


class NameKind(StrEnum):
    """Who looks a name up."""

    TOOL = "tool"  # callers, through every adapter
    ALIAS = "alias"  # the same
    PUBLISHED = "published"  # models, in the definitions of one target
    GROUP = "group"  # OpenAI, as a namespace
    PYTHON = "python"  # Python: a module or the stem of class names
    SHARED = "shared"  # Python: a module of shared classes


@dataclass(frozen=True, slots=True)
class NameClaim:
    """A name that a file needs for itself, and the value in it that asks for it."""

    kind: NameKind
    name: str
    owner: str  # a tool's wire name, or the path of a shared file
    source: Source
    path: JsonPath
    target: str = ""  # that publishes the name


@dataclass(frozen=True, slots=True)
class CompiledSpec:
    """What one file below the specs folder compiles to, whatever the other specs are.

    It is valid as long as the file and its `shared_files` stay as they are.
    """

    source: Source
    shared_files: Mapping[str, str] = field(default_factory=dict)  # path below the specs folder → digest
    warnings: tuple[Diagnostic, ...] = ()
    tool: Tool | None = None  # None: shared schemas, or a tool that is not enabled
    files: Tree = field(default_factory=dict)  # of this file alone, formatted
    claims: tuple[NameClaim, ...] = ()
    is_shared: bool = False  # a file of shared schemas
