"""Types of the definitions in requests. Each has the structure of the SDK's own type, and needs no SDK.

A TypedDict is assignable to another one with the same keys. What toolgen writes is typed as in the SDK; the
other keys are there for the SDK's sake only, and take any value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NotRequired, Required, TypedDict


class OpenAIFunction(TypedDict, total=False):
    """The function of an `OpenAIChatTool`; `FunctionDefinition` of openai."""

    name: Required[str]
    description: str
    parameters: dict[str, object]
    strict: bool | None


class OpenAIChatTool(TypedDict, total=False):
    """A tool for Chat Completions; `ChatCompletionFunctionToolParam` of openai."""

    type: Required[Literal["function"]]
    function: Required[OpenAIFunction]


_OpenAIReserved = TypedDict("_OpenAIReserved", {"async": bool}, total=False)


class OpenAIResponsesTool(_OpenAIReserved, total=False):
    """A tool for Responses; `FunctionToolParam` of openai."""

    type: Required[Literal["function"]]
    name: Required[str]
    description: str | None
    parameters: Required[dict[str, object] | None]
    strict: Required[bool | None]
    allowed_callers: list[Literal["direct", "programmatic"]] | None
    defer_loading: bool
    output_schema: dict[str, object] | None


class OpenAINamespace(TypedDict, total=False):
    """Tools of one group for Responses; `NamespaceToolParam` of openai."""

    type: Required[Literal["namespace"]]
    name: Required[str]
    description: Required[str]
    tools: Required[Any]  # a list of `OpenAIResponsesTool`; the SDK has a type of its own for each


class OpenAIToolSearch(TypedDict, total=False):
    """The tool for Responses by which the model finds deferred tools; `ToolSearchToolParam` of openai."""

    type: Required[Literal["tool_search"]]
    description: Any
    execution: Any
    parameters: Any


class AnthropicCacheControl(TypedDict, total=False):
    """A breakpoint of the prompt cache; `CacheControlEphemeralParam` of anthropic."""

    type: Required[Literal["ephemeral"]]
    ttl: Literal["5m", "1h"]


class AnthropicTool(TypedDict, total=False):
    """A tool for Messages; `ToolParam` of anthropic."""

    name: Required[str]
    description: str
    input_schema: Required[Any]  # a JSON Schema; the SDK's type of it cannot be written without the SDK
    strict: bool
    allowed_callers: Any  # a list of str; each version of the SDK has further literals
    cache_control: AnthropicCacheControl | None
    defer_loading: bool
    eager_input_streaming: bool | None
    input_examples: Iterable[dict[str, object]]
    type: Any


class AnthropicToolSearch(TypedDict, total=False):
    """The tool for Messages by which the model finds deferred tools; `ToolSearchToolBm25_20251119Param`."""

    name: Required[Literal["tool_search_tool_bm25"]]
    type: Required[Literal["tool_search_tool_bm25_20251119", "tool_search_tool_bm25"]]
    allowed_callers: Any
    cache_control: Any
    defer_loading: Any
    strict: Any


class GeminiFunctionDeclaration(TypedDict, total=False):
    """A function for Gemini; `FunctionDeclarationDict` of google-genai."""

    name: str | None
    description: str | None
    parameters_json_schema: Any
    response_json_schema: Any
    behavior: Any  # BLOCKING or NON_BLOCKING, an enum in the SDK
    parameters: Any
    response: Any


class GeminiTool(TypedDict, total=False):
    """A tool, which has functions, for Gemini; `ToolDict` of google-genai."""

    function_declarations: list[GeminiFunctionDeclaration] | None
    code_execution: Any
    computer_use: Any
    enterprise_web_search: Any
    exa_ai_search: Any
    file_search: Any
    google_maps: Any
    google_search: Any
    google_search_retrieval: Any
    mcp_servers: Any
    parallel_ai_search: Any
    retrieval: Any
    url_context: Any


class BedrockInputSchema(TypedDict):
    """The schema of a `BedrockToolSpec`."""

    json: NotRequired[Mapping[str, Any]]


class BedrockToolSpec(TypedDict):
    """A function for Bedrock."""

    name: str
    inputSchema: BedrockInputSchema
    description: NotRequired[str]
    strict: NotRequired[bool]


class BedrockCachePoint(TypedDict):
    """A point of the prompt cache."""

    type: Literal["default"]
    ttl: NotRequired[Literal["5m", "1h"]]


class BedrockTool(TypedDict, total=False):
    """An entry of a `BedrockToolConfig`: one of the keys."""

    toolSpec: BedrockToolSpec
    cachePoint: BedrockCachePoint
    systemTool: Any


class BedrockToolConfig(TypedDict):
    """The `toolConfig` of a Converse request, whose type boto3 does not name."""

    tools: Sequence[BedrockTool]
    toolChoice: NotRequired[Any]
