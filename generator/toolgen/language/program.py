"""Specs that are compiled together, with every reference bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.source import Source
from toolgen.language.spec import Spec
from toolgen.schema.document import JsonObject, Schema, SchemaDocument


@dataclass(frozen=True, slots=True)
class Parsed:
    """Every file below the specs folder, parsed: tools, and files of shared schemas."""

    tools: tuple[tuple[Spec, Source], ...]
    shared: Mapping[str, Source]  # posix path below the specs folder → a file with only `$defs`


@dataclass(frozen=True, slots=True)
class SharedSchema:
    """An entry of `$defs` in a shared file."""

    path: str  # of the file, below the specs folder
    name: str


Origins = Mapping[str, SharedSchema]
"""Name in the `$defs` of a bundled schema → the shared schema that was copied there."""


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A shared file whose definitions are self-contained."""

    source: Source
    py_name: str  # its module in `models/shared/`
    document: SchemaDocument  # its definitions in `$defs`, those of its `circle`, those that they refer to
    origins: Origins  # of all of them
    uses: tuple[str, ...]  # the shared files that it refers to, directly or not, sorted
    circle: tuple[str, ...]  # the shared files that refer to each other, sorted; one: itself


@dataclass(frozen=True, slots=True)
class PublishedTool:
    """A tool as one target publishes it."""

    name: str  # the published name
    input_schema: Schema
    strict: bool = False  # the provider is asked to enforce `input_schema`
    output_schema: Schema | None = None  # None: it is not published
    input_examples: tuple[JsonObject, ...] = ()  # arguments that `input_schema` accepts


@dataclass(frozen=True, slots=True)
class ProgramTool:
    """A tool whose schemas are self-contained: every reference in them is local."""

    spec: Spec
    source: Source
    documents: Mapping[str, SchemaDocument]  # "input_schema", "output_schema", "chunk_schema" → it
    shared_files: tuple[str, ...] = ()  # that its schemas refer to, directly or not, sorted
    origins: Mapping[str, Origins] = field(default_factory=dict)  # "input_schema" → what was copied there
    published: Mapping[str, PublishedTool] = field(default_factory=dict)  # target name → what it publishes
    inline: bool = False  # MCP publishes its schemas without references
    warnings: tuple[Diagnostic, ...] = ()  # about this tool

    @property
    def input_schema(self) -> Schema:
        """The schema of the request."""
        return self.documents["input_schema"].schema

    @property
    def output_schema(self) -> Schema | None:
        """The schema of the response."""
        return self.documents["output_schema"].schema if "output_schema" in self.documents else None

    @property
    def chunk_schema(self) -> Schema | None:
        """The schema of each chunk of a stream."""
        return self.documents["chunk_schema"].schema if "chunk_schema" in self.documents else None


@dataclass(frozen=True, slots=True)
class Program:
    """All enabled tools, sorted by name, and the warnings about them."""

    tools: tuple[ProgramTool, ...]
    warnings: tuple[Diagnostic, ...] = ()
    disabled: tuple[ProgramTool, ...] = ()  # checked, but not part of the output
    shared: Mapping[str, SharedFile] = field(default_factory=dict)  # by path below the specs folder

    def with_tools(self, tools: Sequence[ProgramTool]) -> Program:
        """Return the program with other versions of its tools, and the warnings that these have added."""
        new = [
            warning
            for before, tool in zip(self.tools, tools, strict=True)
            for warning in tool.warnings[len(before.warnings) :]
        ]
        return replace(self, tools=tuple(tools), warnings=(*self.warnings, *new))
