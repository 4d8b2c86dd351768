"""The OpenAI Agents SDK: a toolkit as a list of function tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Literal, TypeAlias, Unpack
from weakref import WeakKeyDictionary

from agents import (
    FunctionTool,
    FunctionToolResult,
    RunContextWrapper,
    Tool,
    ToolSearchTool,
    ToolsToFinalOutputResult,
    tool_namespace,
)
from agents.tool import (
    FunctionToolCustomDataContext,
    ToolOutputFileContent,
    ToolOutputImage,
    ToolOutputText,
    ValidToolOutputPydanticModels,
)
from agents.tool_context import ToolContext

from toolgen.runtime.adapters.openai import all_text, file_name, namespace_description
from toolgen.runtime.adapters.provider import ProviderAdapter
from toolgen.runtime.adapters.published_tools import ProviderTool, provider_tools
from toolgen.runtime.confirmation.question import Confirm, ConfirmationPending
from toolgen.runtime.content.block import Block
from toolgen.runtime.content.carried import block_as_text, takes_data
from toolgen.runtime.errors import ConfirmationRequiredError
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.toolkit import Toolkit
from toolgen.schema.providers import RESPONSES

from .shared import Bridge, BridgeOptions, agreed, refused, undecided

_ADAPTER = ProviderAdapter("openai")
ToolOutput: TypeAlias = str | list[ValidToolOutputPydanticModels]

CUSTOM_DATA = "toolgen"
"""The key of the response in a tool output item's `custom_data`."""


def openai_agents_tools(
    toolkit: Toolkit,
    confirm: Confirm | None = None,
    *,
    api: Literal["responses", "chat"] = "responses",
    **options: Unpack[BridgeOptions],
) -> list[Tool]:
    """Return the current tools of a toolkit, published by `targets.openai`; strict schemas are undone.

    For `api="responses"`, the tools of a group are in a namespace, and ToolSearchTool is there if a tool is
    deferred. The SDK refuses both, and `allowed_callers`, for models of other APIs: `api="chat"` is without.

    The output is the text that every adapter returns, also for an error, and outputs of the SDK for images
    and files (for `api="chat"`, a line of text); the item's `custom_data["toolgen"]` is the whole response as
    a dict, without data of blocks. A tool with `confirm` asks the user by `confirm`, or else by the SDK's
    approval. The other options are functions of the ToolContext of each call, or of the RunContextWrapper
    when the SDK asks whether approval is needed. Raises ValueError if two tools have the same name.
    """
    bridge = OpenAIBridge(toolkit, confirm, options)
    published = provider_tools(toolkit.definitions, "openai")
    functions = [
        _tool(bridge, each, "confirm" in definition, write=all_text if api == "chat" else _output)
        for each, definition in zip(published, toolkit.definitions.values(), strict=True)
    ]
    return [*functions] if api == "chat" else _responses_tools(published, functions)


def _responses_tools(published: Sequence[ProviderTool], functions: Sequence[FunctionTool]) -> list[Tool]:
    """Return the functions with their fields that only Responses has; those of a group in its namespace."""
    found: list[Tool] = []
    groups: dict[str, list[ProviderTool]] = {}
    members: dict[str, list[FunctionTool]] = {}
    for tool, function in zip(published, functions, strict=True):
        function.defer_loading = tool.is_deferred
        function.allowed_callers = tool.options.get("allowed_callers")
        if tool.group is None:
            found.append(function)
        else:
            groups.setdefault(tool.group, []).append(tool)
            members.setdefault(tool.group, []).append(function)
    for name, group in sorted(groups.items()):
        description = namespace_description(name, group)
        found += tool_namespace(name=name, description=description, tools=members[name])
    return [*found, ToolSearchTool()] if any(tool.is_deferred for tool in published) else found


class OpenAIBridge(Bridge):
    """A bridge whose calls have published names, and arguments in OpenAI's dialect or as JSON."""

    async def call(
        self, name: str, arguments: Any, native: Any, confirm: Confirm | None, **defaults: Any
    ) -> ToolResponse:
        """Call a tool through the adapter for OpenAI."""
        # the message, which is not used, is cheaper for Chat Completions: it has no data of blocks
        call = {"id": "", "function": {"name": name, "arguments": arguments}}
        options = self.options_of(native, **defaults)
        return (await _ADAPTER.answer(call, self.toolkit, confirm, **options)).response


def _tool(
    bridge: Bridge, published: ProviderTool, asks: bool, *, write: Callable[[ToolResponse], ToolOutput]
) -> FunctionTool:
    name = published.name
    by_approval = asks and bridge.confirm is None
    responses: WeakKeyDictionary[ToolContext[Any], ToolResponse] = WeakKeyDictionary()

    async def invoke(ctx: ToolContext[Any], arguments: str) -> ToolOutput:
        confirm = _decision(ctx) if by_approval else bridge.confirm
        try:
            response = await bridge.call(name, arguments, ctx, confirm)
        except ConfirmationPending as pending:
            asked = pending.confirmation
            response = ToolResponse(asked.tool_name, False, error=ConfirmationRequiredError())
        responses[ctx] = response
        return write(response) if response.blocks else response.as_text()

    async def needs_approval(ctx: RunContextWrapper[Any], parameters: dict[str, Any], call_id: str) -> bool:
        return await bridge.would_ask(name, parameters, ctx)

    def custom_data(context: FunctionToolCustomDataContext) -> dict[str, Any]:
        response = responses.get(context.tool_context)
        return {} if response is None else {CUSTOM_DATA: response.as_dict()}

    tool = FunctionTool(
        name=name,
        description=published.description,
        params_json_schema=deepcopy(dict(published.input_schema)),
        on_invoke_tool=invoke,
        strict_json_schema=False,  # otherwise the SDK makes its own strict form
        needs_approval=needs_approval if by_approval else False,
        custom_data_extractor=custom_data,
    )
    tool.strict_json_schema = published.strict
    return tool


def _output(response: ToolResponse) -> ToolOutput:
    text = response.content_as_text()
    first = [ToolOutputText(text=text)] if text else []
    return [*first, *map(_output_of_block, response.blocks)]


def _output_of_block(block: Block) -> ValidToolOutputPydanticModels:
    if not takes_data(RESPONSES, block):
        return ToolOutputText(text=block_as_text(block))
    if block.media_type in RESPONSES.image:
        return ToolOutputImage(image_url=block.data_url)
    return ToolOutputFileContent(file_data=block.data_url, filename=file_name(block))


def stop_on_final_answer(
    ctx: RunContextWrapper[Any], results: list[FunctionToolResult]
) -> ToolsToFinalOutputResult:
    """End the run with a final answer, as the spec or the tool says: `Agent(tool_use_behavior=…)`.

    An error is passed to the model, unless the tool set `context.final_answer` before it raised a ToolError.
    """
    for result in results:
        data = getattr(result.run_item, "custom_data", None) or {}
        if data.get(CUSTOM_DATA, {}).get("final_answer"):
            return ToolsToFinalOutputResult(True, result.output)
    return ToolsToFinalOutputResult(False)


def _decision(ctx: ToolContext[Any]) -> Confirm:
    """Return the user's answer about this call. The user was not asked if it would be refused anyway."""
    approved = ctx.is_tool_approved(ctx.qualified_tool_name, ctx.tool_call_id)
    if approved is None:
        return undecided
    return agreed if approved is True else refused
