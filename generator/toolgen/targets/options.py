"""Options for the built-in targets, below `targets.<target>` of a spec."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from toolgen.targets.definition import TargetOptions

MCP_NAME: Final = r"^[^\x00-\x1f\x7f]{1,256}$"
ANTHROPIC_CALLER: Final = r"^(direct|code_execution_[0-9]{8})$"
"""Callers of a tool; versions of code execution are dates (`ToolParam.allowed_callers` of anthropic)."""

_CACHED_FOR: Final = "How long the cache entry lives; the provider's default where this is left out."


class _Part(BaseModel):
    """A mapping inside the options: strict types, no unknown keys, frozen."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class McpOptions(TargetOptions):
    """Options for MCP."""

    name: Annotated[str, StringConstraints(pattern=MCP_NAME)] | None = Field(
        None, description="The published name; by default that of the tool."
    )
    annotations_title: bool = Field(
        True, description="Publish the title as annotations.title, too, for older clients."
    )
    inline: bool = Field(
        False, description="Publish schemas with references written out, for clients that lose `$defs`."
    )


class OpenAIOptions(TargetOptions):
    """Options for OpenAI."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, validate_by_name=False)
    strict: bool | None = Field(
        None, description="Strict mode; left out, it is used wherever nothing is lost by it."
    )
    output_schema: bool = Field(
        True, description="Publish the output schema for Responses, if every result is JSON."
    )
    allowed_callers: Annotated[list[Literal["direct", "programmatic"]], Field(min_length=1)] | None = Field(
        None, description="Who calls the tool: the model, programs that it writes, or both. Responses only."
    )
    async_: bool | None = Field(
        None, alias="async", description="The model need not wait for the result. Responses only."
    )


class CacheControl(_Part):
    """A breakpoint of Anthropic's prompt cache: the tools up to this one are cached."""

    type: Literal["ephemeral"] = Field("ephemeral", description="The kind of cache entry.")
    ttl: Literal["5m", "1h"] | None = Field(None, description=_CACHED_FOR)


class AnthropicOptions(TargetOptions):
    """Options for Anthropic."""

    strict: bool = Field(False, description="Strict mode.")
    input_examples: bool = Field(
        True, description="Publish the arguments of the first five examples that end without an error."
    )
    allowed_callers: (
        Annotated[
            list[Annotated[str, StringConstraints(pattern=ANTHROPIC_CALLER)]],
            Field(min_length=1),
        ]
        | None
    ) = Field(
        None, description="Who calls the tool: `direct` is the model, `code_execution_<date>` its programs."
    )
    cache_control: CacheControl | None = Field(
        None, description="A breakpoint of the prompt cache: the tools up to this one are cached."
    )
    eager_input_streaming: bool | None = Field(
        None, description="Arguments arrive as they are written; the model's JSON may be invalid."
    )


class GeminiOptions(TargetOptions):
    """Options for Gemini."""

    output_schema: bool = Field(True, description="Publish the output schema.")
    behavior: Literal["BLOCKING", "NON_BLOCKING"] | None = Field(
        None, description="Whether the model waits for the result. Live API only."
    )


class CachePoint(_Part):
    """A point of Bedrock's prompt cache: the tools before it are cached."""

    type: Literal["default"] = Field("default", description="The kind of cache point.")
    ttl: Literal["5m", "1h"] | None = Field(None, description=_CACHED_FOR)


class BedrockOptions(TargetOptions):
    """Options for Amazon Bedrock."""

    strict: bool = Field(False, description="Strict mode.")
    cachePoint: CachePoint | None = Field(
        None, description="A cache point behind this tool: the tools up to this one are cached."
    )
