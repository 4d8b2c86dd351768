"""LangChain: a toolkit as a list of tools, for agents, graphs and `bind_tools`."""

from __future__ import annotations

import hashlib
import json
from copy import deepcopy
from typing import Any, Literal, TypeAlias, Unpack

from langchain_core.messages import content as langchain_content
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, ToolException
from pydantic import Field, InstanceOf

from toolgen.runtime.confirmation.question import Confirm, Confirmation, ConfirmationPending
from toolgen.runtime.content.block import Block
from toolgen.runtime.content.carried import block_as_text, text_of_file
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.toolkit import Toolkit

from .shared import Bridge, BridgeOptions, agreed, application_metadata, refused, undecided

LangChainContent: TypeAlias = (
    langchain_content.TextContentBlock
    | langchain_content.ImageContentBlock
    | langchain_content.FileContentBlock
)
ContentAndArtifact: TypeAlias = tuple[str | list[LangChainContent], dict[str, Any]]
"""The return value of a LangChain tool with `response_format="content_and_artifact"`."""


def langchain_tools(
    toolkit: Toolkit,
    confirm: Confirm | None = None,
    **options: Unpack[BridgeOptions],
) -> list[BaseTool]:
    """Return the current tools of a toolkit, by wire name.

    Content is the text that every adapter returns, and content blocks of LangChain for blocks of the result.
    The artifact is the whole response as a dict, with the data of blocks. Errors are handled ToolExceptions,
    so that the model reads their text; set `handle_tool_error = False` to raise them.
    A tool with `confirm` asks the user by `confirm`, or else by an interrupt of LangGraph with the format of
    HumanInTheLoopMiddleware; outside of a graph, its `on_unsupported` applies. The other options are
    functions of the RunnableConfig of each call. Progress and chunks go to LangGraph's custom stream, unless
    `progress` and `listen` are given.
    """
    bridge = Bridge(toolkit, confirm, options)
    return [_tool(bridge, definition) for definition in toolkit.definitions.values()]


def _tool(bridge: Bridge, definition: ToolDefinition) -> BaseTool:
    return LangChainTool(
        bridge=bridge,
        name=definition["name"],
        description=definition["description"],
        args_schema=deepcopy(definition["input_schema"]),  # LangChain may change it
        return_direct=definition.get("final_answer", False),
        tags=list(definition.get("tags", ())) or None,
        metadata=application_metadata(definition) or None,
        asks="confirm" in definition,
    )


class LangChainTool(BaseTool):
    """One tool of a toolkit."""

    bridge: InstanceOf[Bridge] = Field(exclude=True, repr=False)
    asks: bool = False  # calls need the user's confirmation
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    handle_tool_error: Any = True

    @property
    def args(self) -> dict[str, Any]:
        """The properties of the input schema; empty if it has none."""
        schema: Any = self.args_schema
        return dict(schema.get("properties", {}))

    def _to_args_and_kwargs(
        self, tool_input: str | dict[str, Any], tool_call_id: str | None
    ) -> tuple[Any, dict[str, Any]]:
        # as one value, so that a property called `config` or `run_manager` does not become an argument
        return (tool_input, tool_call_id), {}

    def _run(self, arguments: Any, tool_call_id: str | None, config: RunnableConfig) -> ContentAndArtifact:
        return self.bridge.toolkit.run_sync(lambda: self._arun(arguments, tool_call_id, config))

    async def _arun(
        self, arguments: Any, tool_call_id: str | None, config: RunnableConfig
    ) -> ContentAndArtifact:
        reporters = _reporters(self.name, tool_call_id)

        async def call(confirm: Confirm | None) -> ToolResponse:
            return await self.bridge.call(self.name, arguments, config, confirm, **reporters)

        if not self.asks or self.bridge.confirm is not None:
            return _result(await call(self.bridge.confirm))
        if _runtime() is None:
            return _result(await call(None))
        try:
            return _result(await call(undecided))
        except ConfirmationPending as pending:
            asked = pending.confirmation
        # not inside `confirm`: the exception with which LangGraph stops the graph must not reach the toolkit
        agrees = _interrupt(asked, tool_call_id, _is_own_task(config))
        return _result(await call(agreed if agrees else refused))


def _result(response: ToolResponse) -> ContentAndArtifact:
    if response.error is not None:
        raise ToolException(response.as_text()) from response.error
    artifact = response.as_dict()
    if not response.blocks:
        return response.as_text(), artifact
    artifact["blocks"] = [block.as_dict() | {"data": block.data} for block in response.blocks]
    return _content(response), artifact


def _content(response: ToolResponse) -> list[LangChainContent]:
    text = response.content_as_text()
    return [*([_text(text)] if text else []), *map(_content_block, response.blocks)]


def _text(text: str) -> LangChainContent:
    return {"type": "text", "text": text}


def _content_block(block: Block) -> LangChainContent:
    """Return a block as content of a ToolMessage, which holds no audio."""
    media_type = block.media_type or ""
    if media_type.startswith("image/") and block.type in ("image", "file"):
        return {"type": "image", "base64": block.base64, "mime_type": media_type}
    if block.type != "file" or text_of_file(block) is not None:
        return _text(block_as_text(block))
    return {
        "type": "file",
        "base64": block.base64,
        "mime_type": media_type,
        "extras": {"filename": block.default_name},
    }


def _runtime() -> Any:
    """Return LangGraph's runtime; None outside of a graph."""
    try:
        from langgraph.runtime import get_runtime  # langchain-core does not need langgraph
    except ModuleNotFoundError:
        return None
    try:
        return get_runtime()
    except RuntimeError:  # outside of a runnable
        return None


def _is_own_task(config: RunnableConfig) -> bool:
    """True if this call is a separate task of the graph, as in `create_agent`.

    A ToolNode that is reached by an edge makes all calls of a message in one task, and LangGraph returns the
    answers for a task in the order of the interrupts, whichever call they are from.
    """
    return "__pregel_push" in (config.get("metadata") or {}).get("langgraph_triggers", ())


def _interrupt(asked: Confirmation, tool_call_id: str | None, own_task: bool) -> bool:
    """Interrupt the graph until the user has answered. Return False for anything but one clear approval.

    The answer may contain the `call` that it is for, and must if it could be for another call.
    """
    from langgraph.types import interrupt  # as above

    text = asked.message if asked.preview is None else f"{asked.preview}\n\n{asked.message}"
    action = {"name": asked.tool_name, "args": dict(asked.arguments), "description": text}
    review = {"action_name": asked.tool_name, "allowed_decisions": ["approve", "reject"]}
    # a digest of the content, because the model chooses ids and a node may call a tool without one
    content = json.dumps([tool_call_id, asked.tool_name, asked.arguments], sort_keys=True)
    call = hashlib.sha256(content.encode()).hexdigest()
    answer = interrupt({"action_requests": [action], "review_configs": [review], "call": call})
    if not isinstance(answer, dict):
        return False
    is_meant = answer["call"] == call if "call" in answer else own_task
    return is_meant and answer.get("decisions") == [{"type": "approve"}]


def _reporters(name: str, tool_call_id: str | None) -> dict[str, Any]:
    """Return `progress` and `listen` that write to LangGraph's custom stream; nothing outside of a graph."""
    runtime = _runtime()
    if runtime is None:
        return {}
    call = {"tool_name": name, "tool_call_id": tool_call_id}

    async def progress(done: float, total: float | None, message: str | None) -> None:
        runtime.stream_writer({**call, "progress": done, "total": total, "message": message})

    async def listen(chunk: Any) -> None:
        runtime.stream_writer({**call, "chunk": chunk})

    return {"progress": progress, "listen": listen}
