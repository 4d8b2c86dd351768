"""Limits of providers on names, schemas, requests and messages, each with source and date, since they change.

A name that a target refuses is an error; any other exceeded limit is a warning at the author's line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class StrictRequestLimits:
    """The size of the grammar that a provider compiles for one request, of all its strict tools together."""

    tools: int
    optional: int  # properties that are not required
    unions: int  # places with `anyOf` or several types


@dataclass(frozen=True, slots=True)
class CarriedContent:
    """The data that a message of one API can hold: media types, each with the API's word for it."""

    api: str
    image: Mapping[str, str] = field(default_factory=dict)
    file: Mapping[str, str] = field(default_factory=dict)

    def formats(self, kind: str) -> Mapping[str, str]:
        """Return the media types of a type of block whose data the API takes."""
        if kind == "file":
            return {**self.file, **self.image}
        return self.image if kind == "image" else {}


@dataclass(frozen=True, slots=True)
class ProviderLimits:
    """The limits of a provider, in any dialect. None: no limit is known."""

    tool_name: str = "^.+$"  # pattern of the whole name
    max_description: int | None = None  # characters
    max_tools: int | None = None  # in one request
    max_cache_points: int = 0  # in one request
    strict_request: StrictRequestLimits | None = None
    argument_name: str | None = None  # pattern, of the properties at the root
    root: frozenset[str] = frozenset()  # keywords that are refused at the root of the input schema
    input_examples: int = 0  # maximum number published beside the schema; 0: the API has no field for them
    messages: tuple[CarriedContent, ...] = ()  # of each API


_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
_IMAGES: Final = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"}
_DOCUMENTS: Final = {
    "application/pdf": "pdf",
    "application/msword": "doc",
    f"{_OFFICE}.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    f"{_OFFICE}.spreadsheetml.sheet": "xlsx",
    "text/csv": "csv",
    "text/html": "html",
    "text/markdown": "md",
    "text/plain": "txt",
}
_VIDEOS: Final = {
    "video/3gpp": "three_gp",
    "video/mp4": "mp4",
    "video/mpeg": "mpeg",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "video/x-flv": "flv",
    "video/x-matroska": "mkv",
    "video/x-ms-wmv": "wmv",
}

CHAT_COMPLETIONS: Final = CarriedContent("Chat Completions")
"""`ChatCompletionToolMessageParam` of openai holds text only."""

RESPONSES: Final = CarriedContent(
    "Responses",
    image=_IMAGES,
    # https://developers.openai.com/api/docs/guides/file-inputs, "Accepted file types"; 2026-11.
    file={
        **_DOCUMENTS,
        "application/rtf": "rtf",
        "application/vnd.oasis.opendocument.text": "odt",
        "application/vnd.ms-powerpoint": "ppt",
        f"{_OFFICE}.presentationml.presentation": "pptx",
        "application/json": "json",
        "application/xml": "xml",
        "text/xml": "xml",
    },
)
"""`ResponseFunctionCallOutputItemListParam` of openai; the words are ends of file names."""

MESSAGES: Final = CarriedContent("Messages", image=_IMAGES, file={"application/pdf": "pdf"})
"""`ToolResultBlockParam` of anthropic."""

GEMINI: Final = CarriedContent(
    "Gemini",
    # https://ai.google.dev/gemini-api/docs/function-calling, "Multimodal function responses"; 2026-11.
    image={each: each for each in ("image/png", "image/jpeg", "image/webp")},
    file={each: each for each in ("application/pdf", "text/plain")},
)
"""`FunctionResponsePart` of google-genai."""

CONVERSE: Final = CarriedContent("Converse", image=_IMAGES, file=_DOCUMENTS | _VIDEOS)
"""`ToolResultContentBlock` of bedrock-runtime; the words are those of its enums."""

# It SHOULD be 1 to 128 of [A-Za-z0-9_.-] (modelcontextprotocol.io, 2025-11-25 and 2026-07-28), and real
# servers have others.
MCP_TOOL_NAME: Final = r"[^\x00-\x1f\x7f]{1,256}"

MAX_ARGUMENT_NAME: Final = 64  # characters: every provider that limits names of arguments allows so many

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
        # The API's error `array_above_max_length`, github.com/openai/openai-openapi/pull/76 and
        # github.com/musistudio/claude-code-router/issues/686; 2025-08.
        max_tools=128,
        # The API's error `string_above_max_length`, github.com/rusiaaman/wcgw/issues/51; 2025-04. Newer
        # models take more (github.com/run-llama/llama_index/pull/18784), Azure and older ones do not.
        max_description=1_024,
        # The API's own error, as in github.com/langchain-ai/langchainjs/issues/9804; 2026-01, `const` since
        # (github.com/goruck/home-generative-agent/pull/545; 2026-08).
        root=_COMBINATORS | {"enum", "const", "not"},
        messages=(CHAT_COMPLETIONS, RESPONSES),
    ),
    "anthropic": ProviderLimits(
        # The API's error of 400, github.com/home-assistant/core/issues/147760; 2026-07.
        tool_name=r"[a-zA-Z0-9_-]{1,128}",
        # https://platform.claude.com/docs/en/build-with-claude/prompt-caching, "up to 4 cache breakpoints";
        # 2026-11. Those of messages count, too.
        max_cache_points=4,
        strict_request=_CLAUDE_STRICT,
        # "Property keys should match pattern", github.com/anthropics/claude-code/issues/79418; 2026-08.
        argument_name=r"[a-zA-Z0-9_.-]{1,64}",
        # "input_schema does not support oneOf, allOf, or anyOf at the top level",
        # github.com/kenn-io/kata/pull/365; 2026-09.
        root=_COMBINATORS,
        # "1-5 examples per tool", https://www.anthropic.com/engineering/advanced-tool-use; 2025-11.
        input_examples=5,
        messages=(MESSAGES,),
    ),
    "bedrock": ProviderLimits(
        # Shape `ToolName` of bedrock-runtime in botocore 1.44; 2026-11.
        tool_name=r"[a-zA-Z0-9_-]{1,64}",
        # https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html, "Maximum number of cache
        # checkpoints per request"; 2026-11.
        max_cache_points=4,
        # github.com/strands-agents/harness-sdk/issues/2664; 2026-07.
        strict_request=_CLAUDE_STRICT,
        # The rules of Anthropic's API: most tools on Bedrock are for Claude.
        argument_name=r"[a-zA-Z0-9_.-]{1,64}",
        # github.com/code-yeongyu/senpi/issues/1947; 2026-09.
        root=_COMBINATORS,
        messages=(CONVERSE,),
    ),
    "gemini": ProviderLimits(
        # `FunctionDeclaration.name` of google-genai 3.4 says 128, the API 64
        # (github.com/kaitranntt/ccs/issues/25; 2025-11).
        tool_name=r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}",
        # "At most 512 function declarations", github.com/google-gemini/gemini-cli/issues/25440; 2026-04.
        max_tools=512,
        # `FunctionDeclaration.parameters` of google-genai 3.4: "Parameter names must …"; 2026-11.
        argument_name=r"[a-zA-Z_][a-zA-Z0-9_]{0,63}",
        # `parameters_json_schema`, there: "must describe an object where the properties are the parameters".
        root=_COMBINATORS,
        messages=(GEMINI,),
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
