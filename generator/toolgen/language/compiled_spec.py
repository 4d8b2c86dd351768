"""The result of compiling one spec: the unit that caches store and linking joins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Annotated, ClassVar, NamedTuple

from pydantic import ConfigDict, Field, GetPydanticSchema
from pydantic_core.core_schema import (
    plain_serializer_function_ser_schema,
    with_info_plain_validator_function,
)

from toolgen.language.changes import FileSummary, Tree
from toolgen.language.diagnostic import Diagnostic, Sunset
from toolgen.language.package import Tool, ToolSummary
from toolgen.language.source import Source
from toolgen.schema.document import JsonObject, JsonPath

OwnSource = Annotated[
    Source,
    GetPydanticSchema(
        lambda _, __: with_info_plain_validator_function(
            lambda _, info: info.context, serialization=plain_serializer_function_ser_schema(lambda _: None)
        )
    ),
]
"""The source that a spec was compiled from: no part of its JSON, but the context in which that is read."""


class NameKind(StrEnum):
    """Who looks a name up."""

    TOOL = "tool"  # callers, through every adapter
    ALIAS = "alias"  # the same
    PUBLISHED = "published"  # models, in the definitions of one target
    GROUP = "group"  # OpenAI, as a namespace
    PYTHON = "python"  # Python: a module or the stem of class names
    SHARED = "shared"  # Python: a module of shared classes


class NameClaim(NamedTuple):
    """A name that a file needs for itself, and the value in it that asks for it."""

    kind: NameKind
    name: str
    owner: str  # a tool's wire name, or the path of a shared file
    source: OwnSource
    path: JsonPath
    target: str = ""  # that publishes the name


@dataclass(frozen=True, slots=True)
class AskedExample:
    """An example with `ask`, as far as the examples of other tools can contradict it."""

    tool: str  # wire name
    index: int  # in the list of examples
    ask: str
    input: JsonObject
    avoided: tuple[str, ...]  # names of tools that the model must not call
    source: OwnSource


class SpecCode:
    """The tool and the files of one compiled spec. What comes from the cache is read when it is needed."""

    def __init__(self, load: Callable[[], tuple[Tool | None, Tree]]) -> None:
        self._load = load

    @cached_property
    def parts(self) -> tuple[Tool | None, Tree]:
        """The tool and the formatted files of this spec alone."""
        return self._load()


_NO_CODE = SpecCode(lambda: (None, {}))


@dataclass(frozen=True, slots=True)
class CompiledSpec:
    """The result of compiling one file below the specs folder, whatever the other specs are.

    It is valid as long as the file and its `shared_files` stay as they are. Pydantic reads and writes all of
    it as JSON but the source and the code.
    """

    __pydantic_config__: ClassVar = ConfigDict(arbitrary_types_allowed=True)

    source: OwnSource
    shared_files: Mapping[str, str] = field(default_factory=dict)  # path below the specs folder → digest
    warnings: tuple[Diagnostic, ...] = ()
    claims: tuple[NameClaim, ...] = ()
    tool_name: str = ""  # also of a tool that is not enabled
    asked: tuple[AskedExample, ...] = ()
    is_shared: bool = False  # a file of shared schemas
    sunset: Sunset | None = None  # of a tool that is enabled
    summary: ToolSummary | None = None  # None: shared schemas, or a tool that is not enabled
    file_summaries: Mapping[str, FileSummary] = field(default_factory=dict)  # of its files, by path
    code: Annotated[SpecCode, Field(exclude=True)] = _NO_CODE

    @property
    def tool(self) -> Tool | None:
        """The tool; None for shared schemas, one that is not enabled, and where no template needs it."""
        return self.code.parts[0]

    @property
    def files(self) -> Tree:
        """The formatted files of this spec alone."""
        return self.code.parts[1]
