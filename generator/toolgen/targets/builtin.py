"""The built-in targets, and definitions of a project's own.

Limits of providers have their source and date, since they change. A name that a target refuses is an
error; any other exceeded limit is a warning at the author's line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict, Field, create_model

from toolgen.targets.definition import (
    ExportFormat,
    OwnTargetOptions,
    StrictRequestLimits,
    TargetDefinition,
    TargetOptions,
)
from toolgen.targets.options import (
    AnthropicOptions,
    BedrockOptions,
    GeminiOptions,
    McpOptions,
    OpenAIOptions,
)

_ADAPTERS = "toolgen.runtime.adapters"


_CLAUDE_STRICT: Final = StrictRequestLimits(
    # https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "Schema complexity limits";
    # the API's own words are in github.com/vercel/ai/pull/17268 and github.com/genkit-ai/genkit/issues/5230;
    # 2026-07.
    tools=20,
    optional=24,
    unions=16,
)

BASE: Final = TargetDefinition("python", tool_name="")
"""The package, models and tools that every other target needs; it publishes nothing."""

MCP: Final = TargetDefinition(
    "mcp",
    label="MCP",
    dialect="mcp",
    options=McpOptions,
    # It SHOULD be 1 to 128 of [A-Za-z0-9_.-] (modelcontextprotocol.io, 2025-11-25 and 2026-07-28), and real
    # servers have others.
    tool_name=r"[^\x00-\x1f\x7f]{1,256}",
    exports=(
        ExportFormat(
            "mcp", f"{_ADAPTERS}.mcp:mcp_tools", '{"tools": [...]}, as `tools/list` returns it', "tools"
        ),
        ExportFormat(
            "mcp-legacy",
            f"{_ADAPTERS}.mcp:legacy_tools",
            "the same for clients up to 2025-11-25: outputs are objects, references are inlined",
            "tools",
            warnings=frozenset({"output-not-object"}),
        ),
    ),
)

_DEFINITIONS: Final = (
    MCP,
    TargetDefinition(
        "openai",
        label="OpenAI",
        dialect="openai",
        options=OpenAIOptions,
        # Docstring of `FunctionDefinition.name` in openai 3.51; 2026-11.
        tool_name=r"[a-zA-Z0-9_-]{1,64}",
        # The API's error `array_above_max_length`, github.com/openai/openai-openapi/pull/76 and
        # github.com/musistudio/claude-code-router/issues/686; 2025-08.
        max_tools=128,
        # The API's error `string_above_max_length`, github.com/rusiaaman/wcgw/issues/51; 2025-04. Newer
        # models take more (github.com/run-llama/llama_index/pull/18784), Azure and older ones do not.
        max_description=1_024,
        exports=(
            ExportFormat("openai-chat", f"{_ADAPTERS}.openai:chat_tools", "[...], for Chat Completions"),
            ExportFormat("openai-responses", f"{_ADAPTERS}.openai:responses_tools", "[...], for Responses"),
        ),
    ),
    TargetDefinition(
        "anthropic",
        label="Anthropic",
        dialect="anthropic",
        options=AnthropicOptions,
        # The API's error of 400, github.com/home-assistant/core/issues/147760; 2026-07.
        tool_name=r"[a-zA-Z0-9_-]{1,128}",
        # https://platform.claude.com/docs/en/build-with-claude/prompt-caching, "up to 4 cache breakpoints";
        # 2026-11. Those of messages count, too.
        cache_option="cache_control",
        max_cache_points=4,
        strict_limits=_CLAUDE_STRICT,
        exports=(ExportFormat("anthropic", f"{_ADAPTERS}.anthropic:anthropic_tools", "[...], for Messages"),),
    ),
    TargetDefinition(
        "gemini",
        label="Gemini",
        dialect="gemini",
        options=GeminiOptions,
        # `FunctionDeclaration.name` of google-genai 3.4 says 128, the API 64
        # (github.com/kaitranntt/ccs/issues/25; 2025-11).
        tool_name=r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}",
        # "At most 512 function declarations", github.com/google-gemini/gemini-cli/issues/25440; 2026-04.
        max_tools=512,
        exports=(
            ExportFormat(
                "gemini",
                f"{_ADAPTERS}.gemini:gemini_tools",
                "[...], the tools of a request: one, with every function declaration",
            ),
        ),
    ),
    TargetDefinition(
        "bedrock",
        label="Amazon Bedrock",
        dialect="bedrock",
        options=BedrockOptions,
        # Shape `ToolName` of bedrock-runtime in botocore 1.44; 2026-11.
        tool_name=r"[a-zA-Z0-9_-]{1,64}",
        # https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html, "Maximum number of cache
        # checkpoints per request"; 2026-11.
        cache_option="cachePoint",
        max_cache_points=4,
        # github.com/strands-agents/harness-sdk/issues/2664; 2026-07.
        strict_limits=_CLAUDE_STRICT,
        exports=(
            ExportFormat(
                "bedrock", f"{_ADAPTERS}.bedrock:tool_config", '{"tools": [...]}, the toolConfig of Converse'
            ),
        ),
    ),
)

BUILT_IN: Final[Mapping[str, TargetDefinition]] = {each.name: each for each in _DEFINITIONS}
"""Every target that a configuration may name without templates of its own."""

DIALECTS: Final = tuple(each.dialect for each in _DEFINITIONS if each.dialect)


def own_definition(name: str, dialect: str | None, settings: Mapping[str, Any]) -> TargetDefinition:
    """Return the definition of a project's own target: its `settings` over what goes with its dialect."""
    model = next((each for each in _DEFINITIONS if each.dialect == dialect), TargetDefinition(name))
    has_strict = "strict" in model.options.model_fields
    options = OwnTargetOptions if has_strict else TargetOptions
    return replace(model, name=name, label=name, options=options, exports=(), **settings)


class _Targets(BaseModel):
    """Options by target."""

    # Extra keys are targets of the project's own; that they exist is checked where specs are parsed.
    model_config = ConfigDict(strict=True, extra="allow", frozen=True)
    __pydantic_extra__: dict[str, OwnTargetOptions] = Field(init=False)


if TYPE_CHECKING:
    Targets = _Targets
else:
    Targets = create_model(
        "Targets",
        __base__=_Targets,
        __doc__=_Targets.__doc__,
        **{
            each.name: (
                each.options,
                Field(each.options(), description=f"Applies to {each.label} only."),
            )
            for each in _DEFINITIONS
        },
    )
"""The field `targets` of a spec: the options of each target by its name."""
