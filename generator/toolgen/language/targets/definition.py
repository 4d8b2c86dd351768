"""The definition of a target: dialect, limits, options in a spec, and formats of `toolgen export`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from toolgen.schema.providers import StrictRequestLimits


class TargetOptions(BaseModel):
    """Options for one target, below `targets.<name>` of a spec."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    name: str | None = None


class OwnTargetOptions(TargetOptions):
    """Options for a target of the project's own."""

    strict: bool | None = None


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A document of definitions that `toolgen export` prints."""

    name: str  # as typed
    function: str  # "module:name", which takes the catalog; imported when it is used
    help: str
    key: str = ""  # of an object that the definitions are put into
    warnings: frozenset[str] = frozenset()  # codes that are shown beside losses and limits


@dataclass(frozen=True, slots=True)
class TargetDefinition:
    """One target. What goes with it: a folder of templates, and a dialect where its schemas differ."""

    name: str
    dialect: str | None = None  # of `schema/dialects`; None: the author's schema is published unchanged
    tool_name: str = "^.+$"  # pattern of the whole name; empty: the target publishes no tools
    max_description: int | None = None  # characters
    max_tools: int | None = None  # in one request
    cache_option: str = ""  # the option that puts a breakpoint of the prompt cache behind a tool
    max_cache_points: int = 0  # in one request
    strict_limits: StrictRequestLimits | None = None
    label: str = ""  # as people call it
    options: type[TargetOptions] = TargetOptions
    exports: tuple[ExportFormat, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """One output flavour: a definition with its folder of templates, built in or the project's own."""

    definition: TargetDefinition
    templates: Mapping[str, str]  # "tools/{tool}.py.jinja" → template text
    asked: bool = False  # named by the author: every loss of its dialect is reported
    own: Mapping[str, str] = field(default_factory=dict)  # the project's templates → their files, as shown

    @property
    def name(self) -> str:
        """The name in the configuration, in specs and of the folder."""
        return self.definition.name

    @property
    def dialect(self) -> str | None:
        """The dialect of the schemas that it publishes; None: the author's schema, unchanged."""
        return self.definition.dialect

    @property
    def tool_name(self) -> str:
        """The pattern of tool names; empty: it publishes no tools."""
        return self.definition.tool_name
