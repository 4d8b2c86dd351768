"""Options for the built-in targets, below `targets.<target>` of a spec."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from toolgen.language.targets.definition import OwnTargetOptions, TargetOptions


class _Part(BaseModel):
    """A mapping inside the options: strict types, no unknown keys, frozen."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class McpOptions(TargetOptions):
    """Options for MCP."""

    annotations_title: bool = True
    inline: bool | None = None  # None: as the configuration says
    output_schema: bool | None = None  # None: as the configuration says


class OpenAIOptions(TargetOptions):
    """Options for OpenAI."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, validate_by_name=False)
    strict: bool | None = None
    output_schema: bool = True
    allowed_callers: list[Literal["direct", "programmatic"]] | None = None
    async_: bool | None = Field(default=None, alias="async")


class CacheControl(_Part):
    """A breakpoint of Anthropic's prompt cache: the tools up to this one are cached."""

    type: Literal["ephemeral"] = "ephemeral"
    ttl: Literal["5m", "1h"] | None = None


class AnthropicOptions(TargetOptions):
    """Options for Anthropic."""

    strict: bool = False
    input_examples: bool = True
    allowed_callers: list[str] | None = None
    cache_control: CacheControl | None = None
    eager_input_streaming: bool | None = None


class GeminiOptions(TargetOptions):
    """Options for Gemini."""

    output_schema: bool = True
    behavior: Literal["BLOCKING", "NON_BLOCKING"] | None = None


class CachePoint(_Part):
    """A point of Bedrock's prompt cache: the tools before it are cached."""

    type: Literal["default"] = "default"
    ttl: Literal["5m", "1h"] | None = None


class BedrockOptions(TargetOptions):
    """Options for Amazon Bedrock."""

    strict: bool = False
    cachePoint: CachePoint | None = None


class Targets(BaseModel):
    """The field `targets` of a spec: the options of each target by its name."""

    # Extra keys are targets of the project's own.
    model_config = ConfigDict(strict=True, extra="allow", frozen=True)
    __pydantic_extra__: dict[str, OwnTargetOptions] = Field(init=False)
    mcp: McpOptions = McpOptions()
    openai: OpenAIOptions = OpenAIOptions()
    anthropic: AnthropicOptions = AnthropicOptions()
    gemini: GeminiOptions = GeminiOptions()
    bedrock: BedrockOptions = BedrockOptions()
