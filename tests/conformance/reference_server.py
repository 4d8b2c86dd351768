"""A server of the MCP SDK with the resources and prompts that the conformance suite asks for, for a gateway."""

from __future__ import annotations

import base64
import json
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.prompts.base import Message, UserMessage
from mcp_types import (
    Completion,
    ElicitRequest,
    ElicitRequestFormParams,
    EmbeddedResource,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    ImageContent,
    InputRequiredResult,
    PromptMessage,
    SubscribeRequestParams,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
)

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
server = MCPServer("reference", version="1")


@server.tool()
def look() -> str:
    """Look."""
    return "nothing"


@server.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """Return a text."""
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """Return an image."""
    return PNG


@server.resource("test://watched-resource")
def watched() -> str:
    """Return what may be subscribed to."""
    return "watched"


@server.resource("test://template/{number}/data", mime_type="application/json")
def data(number: str) -> str:
    """Return data."""
    return json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})


@server.prompt()
def test_simple_prompt() -> str:
    """Return a text."""
    return "This is a simple prompt for testing."


@server.prompt()
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """Return the arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@server.prompt()
def test_prompt_with_embedded_resource(resourceUri: str) -> list[Message]:
    """Return a resource."""
    text = "Embedded resource content for testing."
    found = TextResourceContents(uri=resourceUri, mime_type="text/plain", text=text)
    return [UserMessage(EmbeddedResource(resource=found)), UserMessage("Process it.")]


@server.prompt()
def test_prompt_with_image() -> list[Message]:
    """Return an image."""
    image = ImageContent(data=base64.b64encode(PNG).decode(), mime_type="image/png")
    return [UserMessage(image), UserMessage("Please analyze the image above.")]


@server.prompt()
def test_input_required_result_prompt() -> str:
    """Ask the user first."""
    return ""


@server.completion()
async def complete(ref: Any, argument: Any, context: Any) -> Completion:
    values = [each for each in ("paris", "park", "party") if each.startswith(argument.value)]
    return Completion(values=values, total=len(values), has_more=False)


async def subscribe(context: Any, params: Any) -> EmptyResult:
    return EmptyResult()


low_level = server._lowlevel_server
low_level.add_request_handler("resources/subscribe", SubscribeRequestParams, subscribe)
low_level.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, subscribe)
own = low_level.get_request_handler("prompts/get")
assert own is not None


async def get_prompt(context: Any, params: GetPromptRequestParams) -> Any:
    if params.name != "test_input_required_result_prompt":
        return await own.handler(context, params)
    if not params.input_responses:
        schema = {"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}
        question = ElicitRequestFormParams(message="What context?", requested_schema=schema)
        return InputRequiredResult(
            input_requests={"user_context": ElicitRequest(params=question)}, request_state="asked"
        )
    text = TextContent(text=f"Context: {params.input_responses['user_context']}")
    return GetPromptResult(messages=[PromptMessage(role="user", content=text)])


low_level.add_request_handler("prompts/get", GetPromptRequestParams, get_prompt)
server.run()
