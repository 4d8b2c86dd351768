"""All that templates may see: every name decided, every literal plain JSON data, everything sorted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.data.program import PublishedTool, Schema


@dataclass(frozen=True, slots=True)
class PackageSettings:
    """What the configuration says of the output as a whole."""

    package: str = "generated"  # dotted import name of the output folder
    implementations: str | None = None  # dotted package whose modules hold the implementations
    specs: str = "specs"  # the specs folder as headers and messages show it
    coerce: bool = True  # may well-known client mistakes be mended, where a spec does not say
    server_name: str | None = None  # of the MCP server; None: the package's
    server_version: str = "0.0.0"
    server_instructions: str | None = None


@dataclass(frozen=True, slots=True)
class ErrorClass:
    """One declared error as an exception class."""

    name: str  # "SupplierNotFoundError"
    code: str
    description: str
    retryable: bool
    hint: str


@dataclass(frozen=True, slots=True)
class Import:
    """A module that only annotations need."""

    module: str  # "sqlite3"
    alias: str | None = None  # where the module's own name would mean something else


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: how callers, Python and readers know it."""

    wire_name: str
    py_name: str  # its module in `tools/`, `models/` and among the implementations
    constant: str  # its definition in the catalog
    tool_class: str
    request_class: str
    response_class: str | None  # None: any JSON value
    file: str  # its spec as a reader of the generated code would look for it
    summary: str  # one line
    description: str  # as published: description, use_when, avoid_when, returns
    definition: Mapping[str, Any]  # what the catalog holds, plain JSON data
    carries_extensions: bool  # has `definition` keys of the author's own
    errors: tuple[ErrorClass, ...]
    imports: tuple[Import, ...]
    exports: tuple[str, ...]  # what the package itself offers of it
    model_classes: tuple[str, ...]
    awaited: tuple[str, ...]  # names of collections.abc that `result` and `preview` take
    parameters: str  # of `execute` after the context: ", *, db: sqlite3.Connection"
    result: str  # what `execute` returns
    execute_doc: str
    preview: bool  # the implementation says what would happen
    input_schema: Schema
    output_schema: Schema | None
    fits: Mapping[str, PublishedTool]  # target name → what it publishes


@dataclass(frozen=True, slots=True)
class Package:
    """The whole output: tools sorted by wire name."""

    package: str
    implementations: str | None
    tools: tuple[Tool, ...]
    exports: tuple[str, ...]  # of all tools, sorted
    server_name: str
    server_version: str
    server_instructions: str | None

    @classmethod
    def of(cls, settings: PackageSettings, tools: tuple[Tool, ...]) -> Package:
        """Return the output of `tools` as the configuration wants it."""
        exports = tuple(sorted(name for tool in tools for name in tool.exports))
        return cls(
            settings.package,
            settings.implementations,
            tools,
            exports,
            settings.server_name or settings.package,
            settings.server_version,
            settings.server_instructions,
        )
