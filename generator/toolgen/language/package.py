"""The generated package as templates see it: every name decided, every literal JSON data, all sorted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from pydantic import ConfigDict

from toolgen.base.escaping.places import plain_name
from toolgen.base.suggestions import first_sentence
from toolgen.language.identifiers import implementation_class
from toolgen.language.program import Origins, PublishedTool
from toolgen.language.publication import Publication
from toolgen.schema.document import Schema, SchemaDocument


@dataclass(frozen=True, slots=True)
class PackageSettings:
    """The settings that apply to the package as a whole."""

    package: str = "generated"  # dotted import name of the output folder
    implementations: str | None = None  # dotted package whose modules hold the implementations
    specs: str = "specs"  # the specs folder as headers and messages show it
    coerce: bool = True  # strings that hold JSON are decoded, unless a spec says otherwise
    server_name: str | None = None  # of the MCP server; None: the package's
    server_version: str | None = None  # None: not set
    server_instructions: str | None = None
    mcp_output_schema: bool = True  # published over MCP, unless a spec says otherwise
    mcp_references: str = "keep"  # "inline": published over MCP without references, where that is exact
    server_lenient_arguments: bool = False
    publication: Publication | None = None  # None: no target publishes documents


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
    """An import that only annotations need."""

    module: str  # "sqlite3"
    alias: str | None = None  # where the module's own name would mean something else


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its names for callers and for Python, its documentation, its schemas."""

    __pydantic_config__: ClassVar = ConfigDict(arbitrary_types_allowed=True)  # caches hold tools as JSON

    wire_name: str
    py_name: str  # its module in `tools/`, `definitions/` and among the implementations
    models_module: str  # its module in `models/`
    constant: str  # its definition in the catalog
    tool_class: str
    request_class: str
    response_class: str | None  # None: any JSON value
    chunk_class: str | None  # None: the result is not a stream
    file: str  # its spec, as shown to readers of the generated code
    summary: str  # one line
    description: str  # as published: description, use_when, avoid_when, returns
    definition: Mapping[str, Any]  # what the catalog holds, plain JSON data
    carries_extensions: bool  # has `definition` keys of the author's own
    errors: tuple[ErrorClass, ...]
    imports: tuple[Import, ...]
    exports: tuple[str, ...]  # names that the package itself exports
    model_classes: tuple[str, ...]
    parameters: str  # of `execute` after the context: ", *, db: sqlite3.Connection"
    result: str  # what `execute` returns
    execute_doc: str
    preview: str  # what `preview` returns; empty: the implementation has no such method
    input_schema: Schema
    output_schema: Schema | None
    published: Mapping[str, PublishedTool]  # target name → what it publishes
    documents: Mapping[str, SchemaDocument] = field(default_factory=dict)  # as those of `ProgramTool`
    origins: Mapping[str, Origins] = field(default_factory=dict)  # of the schemas; models are made with them
    shared_files: tuple[str, ...] = ()  # that the schemas refer to, directly or not, sorted

    @property
    def aliases(self) -> Sequence[str]:
        """Return other names by which callers reach the tool."""
        aliases: Sequence[str] = self.definition.get("aliases", ())
        return aliases

    @property
    def implementation_class(self) -> str:
        """Return the usual name of the class that implements it."""
        return implementation_class(self.tool_class)

    @property
    def about(self) -> str:
        """Return the first sentence of the description, on one line."""
        return first_sentence(str(self.definition.get("description", self.description)))

    @property
    def secrets(self) -> Sequence[str]:
        """Return the environment variables with secrets that the implementation needs."""
        secrets: Sequence[str] = self.definition.get("auth", {}).get("secrets", ())
        return secrets


@dataclass(frozen=True, slots=True)
class RequestCost:
    """How much of a target's limits of one request a tool takes."""

    strict: bool
    optional: int  # properties, of a strict tool
    unions: int  # properties of several types, of a strict tool
    cache_point: bool


@dataclass(frozen=True, slots=True)
class ToolSummary:
    """The part of a tool that linking needs: its names, and its costs by the target that limits them."""

    wire_name: str
    py_name: str
    constant: str
    file: str
    exports: Sequence[str]
    aliases: Sequence[str]
    about: str  # and the following: documents list them
    secrets: Sequence[str]
    costs: Mapping[str, RequestCost]


@dataclass(frozen=True, slots=True)
class SharedModule:
    """The modules of a shared file: `models/shared/<py_name>.py` and `schemas/<py_name>.py`."""

    path: str  # of the file, below the specs folder
    file: str  # as shown to readers of the generated code
    py_name: str


@dataclass(frozen=True, slots=True)
class Package(PackageSettings):
    """The whole package: its settings, and its tools, sorted by wire name."""

    tools: tuple[Tool, ...] = ()  # summaries, if all templates of files of all tools are built-in ones
    shared: tuple[SharedModule, ...] = ()  # sorted by their paths

    @classmethod
    def of(
        cls, settings: PackageSettings, tools: tuple[Tool, ...], shared: tuple[SharedModule, ...] = ()
    ) -> Package:
        """Return the package of `tools` and `shared` schemas. The server is named, if only as the package."""
        values = {each.name: getattr(settings, each.name) for each in fields(settings)}
        return cls(
            **{**values, "server_name": settings.server_name or settings.package}, tools=tools, shared=shared
        )

    # Sorted, for the output must not depend on the order in which specs are compiled.

    @property
    def exports(self) -> tuple[str, ...]:
        """Return the names that the tools export, sorted."""
        return tuple(sorted(name for tool in self.tools for name in tool.exports))

    @property
    def aliases(self) -> Mapping[str, str]:
        """Return the aliases of all tools, sorted, with the tools' wire names."""
        return dict(sorted((alias, tool.wire_name) for tool in self.tools for alias in tool.aliases))

    @property
    def slug(self) -> str:
        """Return the server's name in lower-case letters, digits and hyphens: of a skill, of a bundle."""
        return plain_name(self.server_name or "").lower() or "tools"
