"""The built-in targets, and those of a project. Limits of providers are in `schema/providers.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from toolgen.language.targets.definition import (
    ExportFormat,
    OwnTargetOptions,
    TargetDefinition,
    TargetOptions,
)
from toolgen.language.targets.options import (
    AnthropicOptions,
    BedrockOptions,
    GeminiOptions,
    McpOptions,
    OpenAIOptions,
)
from toolgen.schema.providers import MCP_TOOL_NAME, PROVIDERS

_ADAPTERS = "toolgen.runtime.adapters"

BASE: Final = TargetDefinition("python", tool_name="")
"""The package, models and tools that every other target needs; it publishes nothing."""

MCP: Final = TargetDefinition(
    "mcp",
    label="MCP",
    dialect="mcp",
    options=McpOptions,
    tool_name=MCP_TOOL_NAME,
    exports=(
        ExportFormat(
            "mcp", "toolgen.serving:mcp_tools", '{"tools": [...]}, as `tools/list` returns it', "tools"
        ),
        ExportFormat(
            "mcp-legacy",
            "toolgen.serving:legacy_tools",
            "the same for clients up to 2025-11-25: outputs are objects, references are inlined",
            "tools",
            warnings=frozenset({"output-not-object"}),
        ),
    ),
)


def _of_provider(
    name: str,
    label: str,
    options: type[TargetOptions],
    *exports: ExportFormat,
    cache_option: str = "",
) -> TargetDefinition:
    """Return the target of a provider that has its own dialect, with the limits in `schema/providers.py`."""
    limits = PROVIDERS[name]
    return TargetDefinition(
        name,
        label=label,
        dialect=name,
        options=options,
        tool_name=limits.tool_name,
        max_description=limits.max_description,
        max_tools=limits.max_tools,
        cache_option=cache_option,
        max_cache_points=limits.max_cache_points,
        strict_limits=limits.strict_request,
        exports=exports,
    )


_DEFINITIONS: Final = (
    MCP,
    _of_provider(
        "openai",
        "OpenAI",
        OpenAIOptions,
        ExportFormat("openai-chat", f"{_ADAPTERS}.openai:chat_tools", "[...], for Chat Completions"),
        ExportFormat("openai-responses", f"{_ADAPTERS}.openai:responses_tools", "[...], for Responses"),
    ),
    _of_provider(
        "anthropic",
        "Anthropic",
        AnthropicOptions,
        ExportFormat("anthropic", f"{_ADAPTERS}.anthropic:anthropic_tools", "[...], for Messages"),
        cache_option="cache_control",
    ),
    _of_provider(
        "gemini",
        "Gemini",
        GeminiOptions,
        ExportFormat(
            "gemini",
            f"{_ADAPTERS}.gemini:gemini_tools",
            "[...], the tools of a request: one, with every function declaration",
        ),
    ),
    _of_provider(
        "bedrock",
        "Amazon Bedrock",
        BedrockOptions,
        ExportFormat(
            "bedrock", f"{_ADAPTERS}.bedrock:tool_config", '{"tools": [...]}, the toolConfig of Converse'
        ),
        cache_option="cachePoint",
    ),
)

BUILT_IN: Final[Mapping[str, TargetDefinition]] = {each.name: each for each in _DEFINITIONS}
"""Every target that publishes tools, and that a configuration may name without templates of its own."""

DIALECTS: Final = tuple(each.dialect for each in _DEFINITIONS if each.dialect)


def own_definition(name: str, dialect: str | None, settings: Mapping[str, Any]) -> TargetDefinition:
    """Return the definition of a project's own target: its `settings` over what goes with its dialect."""
    model = next((each for each in _DEFINITIONS if each.dialect == dialect), TargetDefinition(name))
    has_strict = "strict" in model.options.model_fields
    options = OwnTargetOptions if has_strict else TargetOptions
    return replace(model, name=name, label=name, options=options, exports=(), **settings)
