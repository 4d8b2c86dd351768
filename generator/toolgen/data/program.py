"""Specs that are compiled together, with every reference bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.source import Source
from toolgen.data.spec import Spec
from toolgen.schema.document import JsonObject, Schema


@dataclass(frozen=True, slots=True)
class Parsed:
    """Every file below the specs folder, parsed: tools, and files of shared schemas."""

    tools: tuple[tuple[Spec, Source], ...]
    shared: Mapping[str, Source]  # posix path below the specs folder → a file with only `$defs`


@dataclass(frozen=True, slots=True)
class PublishedTool:
    """A tool as one target publishes it."""

    name: str  # the published name
    input_schema: Schema
    strict: bool = False  # the provider is asked to enforce `input_schema`
    output_schema: Schema | None = None  # None: it is not published
    input_examples: tuple[JsonObject, ...] = ()  # arguments that `input_schema` accepts
    examples_differ: bool = False  # from the arguments in the spec's examples


@dataclass(frozen=True, slots=True)
class ProgramTool:
    """A tool whose schemas are self-contained: every reference in them is local."""

    spec: Spec
    source: Source
    input_schema: Schema
    output_schema: Schema | None
    chunk_schema: Schema | None
    shared_files: tuple[str, ...] = ()  # that its schemas were bundled from, sorted
    published: Mapping[str, PublishedTool] = field(default_factory=dict)  # target name → what it publishes
    warnings: tuple[Diagnostic, ...] = ()  # about this tool


@dataclass(frozen=True, slots=True)
class Program:
    """All enabled tools, sorted by name, and the warnings about them."""

    tools: tuple[ProgramTool, ...]
    warnings: tuple[Diagnostic, ...] = ()
    disabled: tuple[ProgramTool, ...] = ()  # checked, but not part of the output
    shared: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # shared file → the shared files it refers to
