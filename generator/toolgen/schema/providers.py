"""Limits of providers, each with its source and date, since they change.

A name that a provider refuses is an error; any other exceeded limit is a warning at the author's line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ProviderLimits:
    """What a provider demands of every tool, in any dialect. None: no limit is known."""

    tool_name: str  # pattern, of the whole name
    argument_name: str | None = None  # pattern, of the properties at the root
    root: frozenset[str] = frozenset()  # keywords that are refused at the root of the input schema
    description: int | None = None  # characters of the tool's description
    tools: int | None = None  # in one request
    strict: StrictRequestLimits | None = None  # of all strict tools of one request together


@dataclass(frozen=True, slots=True)
class StrictRequestLimits:
    """The size of the grammar that a provider compiles for one request."""

    tools: int
    optional: int  # properties that are not required
    unions: int  # subschemas with `anyOf` or several types


_COMBINATORS: Final = frozenset({"anyOf", "oneOf", "allOf"})

_CLAUDE_STRICT: Final = StrictRequestLimits(
    # https://platform.claude.com/docs/en/build-with-claude/structured-outputs, "Schema complexity limits";
    # the API's own words are in github.com/vercel/ai/pull/17268 and github.com/genkit-ai/genkit/issues/5230;
    # 2026-07.
    tools=20,
    optional=24,
    unions=16,
)

PROVIDERS: Final[Mapping[str, ProviderLimits]] = {
    "openai": ProviderLimits(
        # Docstring of `FunctionDefinition.name` in openai 3.51; 2026-11.
        tool_name=r"[a-zA-Z0-9_-]{1,64}",
        # The API's own error, as in github.com/langchain-ai/langchainjs/issues/9804; 2026-01, `const` since
        # (github.com/goruck/home-generative-agent/pull/545; 2026-08).
        root=_COMBINATORS | {"enum", "const", "not"},
        # The API's error `array_above_max_length`, github.com/openai/openai-openapi/pull/76 and
        # github.com/musistudio/claude-code-router/issues/686; 2025-08.
        tools=128,
        # The API's error `string_above_max_length`, github.com/rusiaaman/wcgw/issues/51; 2025-04. Newer
        # models take more (github.com/run-llama/llama_index/pull/18784), Azure and older ones do not.
        description=1_024,
    ),
    "anthropic": ProviderLimits(
        # The API's error of 400, github.com/home-assistant/core/issues/147760; 2026-07.
        tool_name=r"[a-zA-Z0-9_-]{1,128}",
        # "Property keys should match pattern", github.com/anthropics/claude-code/issues/79418; 2026-08.
        argument_name=r"[a-zA-Z0-9_.-]{1,64}",
        # "input_schema does not support oneOf, allOf, or anyOf at the top level",
        # github.com/kenn-io/kata/pull/365; 2026-09.
        root=_COMBINATORS,
        strict=_CLAUDE_STRICT,
    ),
    "bedrock": ProviderLimits(
        # Shape `ToolName` of bedrock-runtime in botocore 1.44; 2026-11.
        tool_name=r"[a-zA-Z0-9_-]{1,64}",
        # The rules of Anthropic's API: most tools on Bedrock are for Claude.
        argument_name=r"[a-zA-Z0-9_.-]{1,64}",
        # github.com/code-yeongyu/senpi/issues/1947; 2026-09.
        root=_COMBINATORS,
        # github.com/strands-agents/harness-sdk/issues/2664; 2026-07.
        strict=_CLAUDE_STRICT,
    ),
    "gemini": ProviderLimits(
        # `FunctionDeclaration.name` of google-genai 3.4 says 128, the API 64
        # (github.com/kaitranntt/ccs/issues/25; 2025-11).
        tool_name=r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}",
        # `FunctionDeclaration.parameters` of google-genai 3.4: "Parameter names must …"; 2026-11.
        argument_name=r"[a-zA-Z_][a-zA-Z0-9_]{0,63}",
        # `parameters_json_schema`, there: "must describe an object where the properties are the parameters".
        root=_COMBINATORS,
        # "At most 512 function declarations", github.com/google-gemini/gemini-cli/issues/25440; 2026-04.
        tools=512,
    ),
    "mcp": ProviderLimits(
        # It SHOULD be 1 to 128 of [A-Za-z0-9_.-] (modelcontextprotocol.io, 2025-11-25 and 2026-07-28), and
        # real servers have others.
        tool_name=r"[^\x00-\x1f\x7f]{1,256}",
    ),
}

GEMINI_KEYWORDS: Final = frozenset(
    # `GenerationConfig.response_json_schema` of google-genai 3.4 lists what is supported; 2026-11.
    # `$id` and `$anchor` are left out: every reference is inlined or leads to `$defs`.
    {
        "$defs", "$ref", "type", "format", "title", "description", "enum", "items", "prefixItems", "minItems",
        "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required",
    }
)  # fmt: skip

GEMINI_FORMATS: Final = frozenset(
    # https://ai.google.dev/gemini-api/docs/structured-output, "Type-specific properties"; 2026-11.
    {"date-time", "date", "time"}
)


@dataclass(frozen=True, slots=True)
class StrictSchemaLimits:
    """The size of one strict schema that a provider accepts."""

    properties: int  # of all objects together
    depth: int  # objects inside objects, the root being the first
    enum_values: int  # of all enums together
    text: int  # characters of property names, definition names, enum and const values together
    long_enum: int  # an enum of strings with more values than this ...
    long_enum_text: int  # ... may have at most so many characters


OPENAI_STRICT: Final = StrictSchemaLimits(
    # https://developers.openai.com/api/docs/guides/structured-outputs: "Objects have limitations on nesting
    # depth and size", "Limitations on total string size", "Limitations on enum size"; as of 2026-11.
    properties=5_000,
    depth=10,
    enum_values=1_000,
    text=120_000,
    long_enum=250,
    long_enum_text=15_000,
)

OPENAI_FORMATS: Final = frozenset(
    # The same guide, "Supported properties"; any other is refused ("'uri' is not a valid format").
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)

OPENAI_KEYWORDS: Final = {
    # The same guide, "Supported properties" and "Supported schemas": keywords allowed beside each `type`.
    "string": frozenset({"pattern", "format"}),
    "number": frozenset({"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "integer": frozenset({"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "array": frozenset({"minItems", "maxItems"}),
    "object": frozenset[str](),
    "boolean": frozenset[str](),
    "null": frozenset[str](),
}
