"""The definition of a target: dialect, limits, options in a spec, and formats of `toolgen export`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

TARGET_NAME: Final = r"^[A-Za-z0-9_.:-]{1,128}$"
"""What a spec may write as the published name; a target's own pattern may ask for more."""


class TargetOptions(BaseModel):
    """Options for one target, below `targets.<name>` of a spec."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)
    name: Annotated[str, StringConstraints(pattern=TARGET_NAME)] | None = Field(
        None, description="The published name; by default that of the tool."
    )


class OwnTargetOptions(TargetOptions):
    """Options for a target of the project's own."""

    strict: bool | None = Field(None, description="Strict mode, where the target's dialect has one.")


@dataclass(frozen=True, slots=True)
class StrictRequestLimits:
    """The size of the grammar that a provider compiles for one request, of all its strict tools together."""

    tools: int
    optional: int  # properties that are not required
    unions: int  # places with `anyOf` or several types


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
