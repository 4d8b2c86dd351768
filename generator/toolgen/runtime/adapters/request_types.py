"""Types of the definitions in requests. Each has the structure of the SDK's own type, and needs no SDK.

A TypedDict is assignable to another one with the same keys. What toolgen writes is typed as in the SDK; the
other keys are there for the SDK's sake only, and take any value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


_OpenAIReserved = TypedDict("_OpenAIReserved", {"async": Any}, total=False)


class OpenAIResponsesTool(_OpenAIReserved, total=False):
    """A tool for Responses; `FunctionToolParam` of openai."""

    type: Required[Literal["function"]]
    name: Required[str]
    description: str | None
    parameters: Required[dict[str, object] | None]
    strict: Required[bool | None]
    allowed_callers: Any
    defer_loading: Any
    output_schema: Any


class AnthropicTool(TypedDict, total=False):
    """A tool for Messages; `ToolParam` of anthropic."""

    name: Required[str]
    description: str
    input_schema: Required[Any]  # a JSON Schema; the SDK's type of it cannot be written without the SDK
    strict: bool
    allowed_callers: Any
    cache_control: Any
    defer_loading: Any
    eager_input_streaming: Any
    input_examples: Any
    type: Any


class GeminiFunctionDeclaration(TypedDict, total=False):
    """A function for Gemini; `FunctionDeclarationDict` of google-genai."""

    name: str | None
    description: str | None
    parameters_json_schema: Any
    behavior: Any
    parameters: Any
    response: Any
    response_json_schema: Any


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


class BedrockTool(TypedDict, total=False):
    """An entry of a `BedrockToolConfig`."""

    toolSpec: BedrockToolSpec
    cachePoint: Any
    systemTool: Any


class BedrockToolConfig(TypedDict):
    """The `toolConfig` of a Converse request, whose type boto3 does not name."""

    tools: Sequence[BedrockTool]
    toolChoice: NotRequired[Any]
