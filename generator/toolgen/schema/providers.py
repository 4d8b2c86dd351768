"""Limits of providers on schemas, each with its source and date, since they change.

Limits of names and sizes are in `targets/builtin.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ProviderLimits:
    """The limits of a provider for every input schema, in any dialect. None: no limit is known."""

    argument_name: str | None = None  # pattern, of the properties at the root
    root: frozenset[str] = frozenset()  # keywords that are refused at the root of the input schema
    input_examples: int = 0  # maximum number published beside the schema; 0: the API has no field for them


_COMBINATORS: Final = frozenset({"anyOf", "oneOf", "allOf"})

PROVIDERS: Final[Mapping[str, ProviderLimits]] = {
    "openai": ProviderLimits(
        # The API's own error, as in github.com/langchain-ai/langchainjs/issues/9804; 2026-01, `const` since
        # (github.com/goruck/home-generative-agent/pull/545; 2026-08).
        root=_COMBINATORS | {"enum", "const", "not"},
    ),
    "anthropic": ProviderLimits(
        # "Property keys should match pattern", github.com/anthropics/claude-code/issues/79418; 2026-08.
        argument_name=r"[a-zA-Z0-9_.-]{1,64}",
        # "input_schema does not support oneOf, allOf, or anyOf at the top level",
        # github.com/kenn-io/kata/pull/365; 2026-09.
        root=_COMBINATORS,
        # "1-5 examples per tool", https://www.anthropic.com/engineering/advanced-tool-use; 2025-11.
        input_examples=5,
    ),
    "bedrock": ProviderLimits(
        # The rules of Anthropic's API: most tools on Bedrock are for Claude.
        argument_name=r"[a-zA-Z0-9_.-]{1,64}",
        # github.com/code-yeongyu/senpi/issues/1947; 2026-09.
        root=_COMBINATORS,
    ),
    "gemini": ProviderLimits(
        # `FunctionDeclaration.parameters` of google-genai 3.4: "Parameter names must …"; 2026-11.
        argument_name=r"[a-zA-Z_][a-zA-Z0-9_]{0,63}",
        # `parameters_json_schema`, there: "must describe an object where the properties are the parameters".
        root=_COMBINATORS,
    ),
}

GEMINI_KEYWORDS: Final = frozenset(
    # `GenerationConfig.response_json_schema` of google-genai 3.4 lists what is supported; 2026-11.
    # Of its words, `$id` and `$anchor` are of no use where every reference is inlined or goes to `$defs`.
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
    """The size that a provider allows a strict schema."""

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
    # The same guide, "Supported properties" and "Supported schemas": what may stand beside each `type`.
    "string": frozenset({"pattern", "format"}),
    "number": frozenset({"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "integer": frozenset({"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}),
    "array": frozenset({"minItems", "maxItems"}),
    "object": frozenset[str](),
    "boolean": frozenset[str](),
    "null": frozenset[str](),
}
