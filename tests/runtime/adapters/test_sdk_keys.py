"""Every key of the types that SDKs have for tools, calls and results is used, or waived with a reason.

A new version of an SDK with a new key fails here, so that somebody decides about it. What is used is not a list: it is what a
definition with every field, a call and its answers show.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import ModuleType
from typing import Any

import botocore.session
import mcp_types
import pytest
from adapter_samples import closed, define
from anthropic import types as anthropic_types
from google.genai import types as gemini_types
from openai.types import chat, responses, shared_params
from openai.types.responses import response_input_item_param
from toolgen.runtime import (
    BaseTool,
    File,
    Image,
    Link,
    Text,
    ToolContext,
    ToolDefinition,
    Toolkit,
    ToolResponse,
)
from toolgen.runtime.adapters import anthropic, bedrock, gemini, openai
from toolgen.runtime.adapters.provider import ProviderCall
from toolgen.serving import mcp_tools

from tests.runtime.content_samples import PDF, PNG, returning

JsonObject = dict[str, Any]
HINTS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
TARGETS = {
    "openai": {"allowed_callers": ["direct"], "async": True},
    "anthropic": {"strict": True, "allowed_callers": ["direct"], "eager_input_streaming": True},
    "gemini": {"behavior": "BLOCKING"},
    "bedrock": {"strict": True, "cachePoint": {"ttl": "1h"}},
}


class Full(BaseTool[Any, Any]):
    """A tool whose definition has every field that a provider may get."""

    definition = define(
        "full",
        "Do everything.",
        closed({"n": {"type": "integer"}}),
        title="Everything",
        icons=[{"src": "https://example.com/i.png"}],
        annotations=HINTS,
        output_schema=closed({"n": {"type": "integer"}}),
        load="deferred",
        examples=[{"name": "one", "input": {"n": 1}}],
        meta={"team": "shop"},
        targets=TARGETS,
    )

    async def execute(self, request: Any, context: ToolContext) -> Any:
        return {"n": request["n"]}


def definitions() -> dict[str, ToolDefinition]:
    grouped: Any = {**Full.definition, "name": "grouped", "group": "shop"}
    cached: Any = {**Full.definition, "name": "cached", "targets": {"anthropic": {"cache_control": {}}}}
    del cached["load"]
    return {"full": Full.definition, "grouped": grouped, "cached": cached}


class Watched(dict[str, Any]):
    """A call that notes which keys are read."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        super().__init__(
            {key: Watched(each) if isinstance(each, dict) else each for key, each in value.items()}
        )
        self.read: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.read.add(key)
        return super().get(key, default)


def keys_of(entries: Iterable[Mapping[str, Any]]) -> set[str]:
    return {key for entry in entries for key in entry}


def answers(adapter: ModuleType, call: JsonObject) -> list[JsonObject]:
    """Return the messages for a call that succeeds, and for one that fails."""
    read: ProviderCall = adapter.PROVIDER.read(call)
    response = asyncio.run(Toolkit([Full()]).call("full", {"n": 1}))
    failed = asyncio.run(Toolkit([Full()]).call("full", {}))
    assert (response.success, failed.success) == (True, False)
    return [read.write(each) for each in (response, failed)]


def read_keys(adapter: ModuleType, call: JsonObject, path: tuple[str, ...] = ()) -> set[str]:
    """Return the keys of a call, or of a part of it, that are read."""
    watched = Watched(call)
    adapter.PROVIDER.find([watched])
    adapter.PROVIDER.read(watched).write(ToolResponse("full", True, {}))
    for key in path:
        watched = watched[key]
    return watched.read


CHAT_CALL = {"id": "c", "type": "function", "function": {"name": "full", "arguments": "{}"}}
CUSTOM_CHAT_CALL = {"id": "c", "type": "custom", "custom": {"name": "full", "input": ""}}
RESPONSES_CALL = {
    "type": "function_call",
    "call_id": "c",
    "name": "full",
    "arguments": "{}",
    "namespace": "shop",
}
RESPONSES_CALL |= {"caller": {"type": "direct"}}
CUSTOM_CALL = {
    "type": "custom_tool_call",
    "call_id": "c",
    "name": "full",
    "input": "",
    "caller": {"type": "direct"},
}
TOOL_USE = {"type": "tool_use", "id": "c", "name": "full", "input": {}, "toolset_name": "set"}
FUNCTION_CALL = {"id": "c", "name": "full", "args": {}}
CONVERSE_USE = {"toolUseId": "c", "name": "full", "input": {}}


def chat_functions() -> list[JsonObject]:
    return [tool["function"] for tool in openai.chat_tools(definitions())]


def of_type(kind: str) -> list[JsonObject]:
    return [tool for tool in openai.responses_tools(definitions()) if tool["type"] == kind]


def converse(key: str) -> list[JsonObject]:
    return [entry[key] for entry in bedrock.tool_config(definitions())["tools"] if key in entry]


def converse_results() -> list[JsonObject]:
    return [each["toolResult"] for each in answers(bedrock, {"toolUse": CONVERSE_USE})]


BLOCKS = (
    Text("a"),
    Image(PNG),
    File(PDF, name="a.pdf"),
    File(b"# A", uri="https://example.com/a.md"),
    Link("gs://shop/a.png", media_type="image/png", private=True),
    Link("s3://shop/a.mp4", media_type="video/mp4", private=True),
)


def content(adapter: ModuleType, call: JsonObject, *path: str) -> list[JsonObject]:
    """Return the blocks of the message for a result that has each kind, from the end of `path`."""
    tool = returning(*BLOCKS, content="any", name="full")
    response = asyncio.run(Toolkit([tool]).call("full", {}))
    found: Any = adapter.PROVIDER.read(call).write(response)
    for key in path:
        found = found[key]
    return list(found)


def inner(entries: Iterable[Mapping[str, Any]], key: str) -> list[JsonObject]:
    return [entry[key] for entry in entries if key in entry]


def messages_content(kind: str) -> list[JsonObject]:
    return [each for each in content(anthropic, TOOL_USE, "content") if each["type"] == kind]


def responses_content(kind: str) -> list[JsonObject]:
    return [each for each in content(openai, RESPONSES_CALL, "output") if each["type"] == kind]


def gemini_parts() -> list[JsonObject]:
    return content(gemini, FUNCTION_CALL, "function_response", "parts")


def converse_content() -> list[JsonObject]:
    return content(bedrock, {"toolUse": CONVERSE_USE}, "toolResult", "content")


@cache
def converse_service() -> Any:
    return botocore.session.Session().get_service_model("bedrock-runtime")


def keys_in_sdk(sdk_type: Any) -> set[str]:
    """Return the keys of a TypedDict, of a pydantic model as they are written, or of a shape of botocore."""
    if isinstance(sdk_type, str):
        return set(converse_service().shape_for(sdk_type).members)
    if hasattr(sdk_type, "model_fields"):
        by_alias = not sdk_type.__module__.startswith("google")  # its dicts have the names in Python
        return {(by_alias and field.alias) or name for name, field in sdk_type.model_fields.items()}
    return set(sdk_type.__required_keys__ | sdk_type.__optional_keys__)


RETURNED = "the API fills it in, in items that it returns"
SEARCH = "the search tool is used as it is"
HOSTED = "another kind of tool, which the provider runs"
LIVE = "of the Live API, for calls that return more than once"
CITED = "whether and how documents are cited is for the whole request to say"
UPLOADED = "of files that the application uploaded"
CACHE = "a place in the conversation, which the application knows"

CASES: dict[Any, tuple[Callable[[], set[str]], dict[str, str]]] = {
    chat.ChatCompletionFunctionToolParam: (lambda: keys_of(openai.chat_tools(definitions())), {}),
    shared_params.FunctionDefinition: (lambda: keys_of(chat_functions()), {}),
    chat.ChatCompletionMessageFunctionToolCall: (lambda: read_keys(openai, CHAT_CALL), {}),
    chat.ChatCompletionMessageCustomToolCall: (
        lambda: read_keys(openai, CUSTOM_CHAT_CALL) - {"function"},
        {},
    ),
    chat.ChatCompletionToolMessageParam: (lambda: keys_of(answers(openai, CHAT_CALL)), {}),
    responses.FunctionToolParam: (lambda: keys_of(of_type("function")), {}),
    responses.NamespaceToolParam: (lambda: keys_of(of_type("namespace")), {}),
    responses.ToolSearchToolParam: (
        lambda: keys_of(of_type("tool_search")),
        dict.fromkeys(("description", "execution", "parameters"), SEARCH),
    ),
    responses.ResponseFunctionToolCall: (
        lambda: read_keys(openai, RESPONSES_CALL) - {"function"},
        {"id": RETURNED, "status": RETURNED, "async": "the call is answered when its result is there, in any case"},
    ),
    response_input_item_param.FunctionCallOutput: (
        lambda: keys_of(answers(openai, RESPONSES_CALL)),
        {"id": RETURNED, "status": RETURNED, "name": "call_id says it; the field is for outputs without a call"},
    ),
    responses.ResponseCustomToolCall: (
        lambda: read_keys(openai, CUSTOM_CALL) - {"function"},
        {
            "id": RETURNED,
            "input": "tools here are functions: a custom call is answered with an error",
            "namespace": "its output has no such field",
            "async": "the call is answered at once",
        },
    ),
    responses.ResponseCustomToolCallOutputParam: (
        lambda: keys_of(answers(openai, CUSTOM_CALL)), {"id": RETURNED}
    ),
    anthropic_types.ToolParam: (
        lambda: keys_of(anthropic.anthropic_tools(definitions())[1:]),
        {"type": "`custom` is the default"},
    ),
    anthropic_types.ToolSearchToolBm25_20251119Param: (
        lambda: set(anthropic.TOOL_SEARCH),
        dict.fromkeys(("allowed_callers", "cache_control", "defer_loading", "strict"), SEARCH),
    ),
    anthropic_types.ToolUseBlock: (
        lambda: read_keys(anthropic, TOOL_USE),
        {"caller": "the result has no such field"},
    ),
    anthropic_types.ToolResultBlockParam: (lambda: keys_of(answers(anthropic, TOOL_USE)), {"cache_control": CACHE}),
    gemini_types.FunctionDeclaration: (
        lambda: keys_of(gemini.function_declarations(definitions())),
        dict.fromkeys(("parameters", "response"), "excludes the field for JSON Schema"),
    ),
    gemini_types.Tool: (
        lambda: keys_of(gemini.gemini_tools(definitions())),
        dict.fromkeys(
            (
                "code_execution", "computer_use", "enterprise_web_search", "exa_ai_search", "file_search",
                "google_maps", "google_search", "google_search_retrieval", "mcp_servers", "parallel_ai_search",
                "retrieval", "url_context",
            ),
            HOSTED,
        ),
    ),
    gemini_types.FunctionCall: (
        lambda: read_keys(gemini, FUNCTION_CALL) - {"function_call", "functionCall"}, {}
    ),
    gemini_types.FunctionResponse: (
        lambda: keys_of(each["function_response"] for each in answers(gemini, FUNCTION_CALL)),
        {
            "parts": "for results with files, which have another test",
            "scheduling": LIVE,
            "will_continue": LIVE,
        },
    ),
    anthropic_types.TextBlockParam: (
        lambda: keys_of(messages_content("text")), {"cache_control": CACHE, "citations": "of the model's texts"}
    ),
    anthropic_types.ImageBlockParam: (
        lambda: keys_of(messages_content("image")),
        {"cache_control": CACHE, "transformations": "the default is to transform images that are too large"},
    ),
    anthropic_types.DocumentBlockParam: (
        lambda: keys_of(messages_content("document")), {"cache_control": CACHE, "citations": CITED, "context": CITED}
    ),
    anthropic_types.SearchResultBlockParam: (
        lambda: keys_of(messages_content("search_result")), {"cache_control": CACHE, "citations": CITED}
    ),
    responses.ResponseInputTextContentParam: (
        lambda: keys_of(responses_content("input_text")), {"prompt_cache_breakpoint": CACHE}
    ),
    responses.ResponseInputImageContentParam: (
        lambda: keys_of(responses_content("input_image")),
        {"prompt_cache_breakpoint": CACHE, "file_id": UPLOADED, "detail": "the default is for the model to choose"},
    ),
    responses.ResponseInputFileContentParam: (
        lambda: keys_of(responses_content("input_file")),
        {
            "prompt_cache_breakpoint": CACHE, "file_id": UPLOADED, "file_url": "OpenAI fetches nothing for us",
            "detail": "the default is for the model to choose",
        },
    ),
    gemini_types.FunctionResponsePart: (
        lambda: keys_of(gemini_parts()),
        dict.fromkeys(
            (
                "audio_metadata", "document_metadata", "media_processing", "media_resolution",
                "spreadsheet_metadata", "video_metadata",
            ),
            "how the model looks at the data, which a block does not say",
        ),
    ),
    gemini_types.FunctionResponseBlob: (
        lambda: keys_of(inner(gemini_parts(), "inline_data")), {"display_name": "refused by the Live API of the SDK"}
    ),
    gemini_types.FunctionResponseFileData: (
        lambda: keys_of(inner(gemini_parts(), "file_data")), {"display_name": "refused by the Live API of the SDK"}
    ),
    "ToolResultContentBlock": (
        lambda: keys_of(converse_content()),
        {"json": "the text of the response is its JSON", "searchResult": "a document on all models, not on Claude only"},
    ),
    "ImageBlock": (lambda: keys_of(inner(converse_content(), "image")), {"error": RETURNED}),
    "DocumentBlock": (
        lambda: keys_of(inner(converse_content(), "document")), {"citations": CITED, "context": CITED}
    ),
    "VideoBlock": (lambda: keys_of(inner(converse_content(), "video")), {}),
    "ToolConfiguration": (lambda: set(bedrock.tool_config(definitions())), {"toolChoice": "of each request"}),
    "Tool": (lambda: keys_of(bedrock.tool_config(definitions())["tools"]), {"systemTool": HOSTED}),
    "ToolSpecification": (lambda: keys_of(converse("toolSpec")), {}),
    "ToolInputSchema": (lambda: keys_of(each["inputSchema"] for each in converse("toolSpec")), {}),
    "CachePointBlock": (lambda: keys_of(converse("cachePoint")), {}),
    "ToolUseBlock": (lambda: read_keys(bedrock, {"toolUse": CONVERSE_USE}, ("toolUse",)), {}),
    "ToolResultBlock": (lambda: keys_of(converse_results()), {"type": "for results of tools that Bedrock runs"}),
    mcp_types.Tool: (
        lambda: keys_of(mcp_tools(definitions())),
        {"execution": "of tasks, which the protocol moved to an extension; carried by imports only"},
    ),
    mcp_types.ToolAnnotations: (lambda: keys_of(each["annotations"] for each in mcp_tools(definitions())), {}),
}  # fmt: skip
"""Type of an SDK, or shape of Bedrock's service → the keys that are used, and reasons for the others."""


@pytest.mark.parametrize("sdk_type", CASES, ids=lambda each: each if isinstance(each, str) else each.__name__)
def test_every_key_of_an_sdk_is_used_or_waived(sdk_type: Any) -> None:
    observe, waived = CASES[sdk_type]
    used, known = observe(), keys_in_sdk(sdk_type)
    assert known - used == waived.keys(), "use the new key, or waive it with a reason; drop what is used now"
    assert used <= known, "the SDK does not know this key"
