"""pydantic-ai: a toolkit as a toolset."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Unpack

from pydantic_ai import (
    ApprovalRequired,
    BinaryContent,
    CustomEvent,
    ModelRetry,
    RunContext,
    ToolFailed,
    ToolReturn,
)
from pydantic_ai.tools import ToolDefinition as PydanticAIDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
from pydantic_core import SchemaValidator, core_schema

from toolgen.runtime.confirmation.question import Confirm, ConfirmationPending
from toolgen.runtime.content.block import Block
from toolgen.runtime.content.carried import block_as_text, text_of_file
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.errors import InvalidRequestError
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.toolkit import Toolkit

from .shared import Bridge, BridgeOptions, agreed, application_metadata, undecided

_ANYTHING = SchemaValidator(core_schema.any_schema())  # the toolkit validates with the author's schema


@dataclass(kw_only=True)
class ToolkitProgress(CustomEvent):
    """Progress of a call, as reported by its tool."""

    progress: float
    total: float | None = None
    message: str | None = None


@dataclass(kw_only=True)
class ToolkitChunk(CustomEvent):
    """A chunk of a streamed result, a JSON value."""

    chunk: Any


def pydantic_ai_toolset(
    toolkit: Toolkit,
    confirm: Confirm | None = None,
    *,
    id: str | None = None,  # noqa: A002  the framework's name
    **options: Unpack[BridgeOptions],
) -> AbstractToolset[Any]:
    """Return the toolkit as a toolset of an Agent, with its current tools at each step.

    A result with blocks is a list: the response, BinaryContent, and texts. Arguments that are not valid raise
    ModelRetry, other errors raise ToolFailed. A tool with `confirm` asks the user by `confirm`, or else by
    pydantic-ai's ApprovalRequired. The other options are functions of the
    RunContext of each call. Progress and chunks are events of this module, unless `progress` and `listen`
    are given.
    """
    return ToolkitToolset(Bridge(toolkit, confirm, options), id)


class ToolkitToolset(AbstractToolset[Any]):
    """The tools of a toolkit, by wire name."""

    def __init__(self, bridge: Bridge, toolset_id: str | None) -> None:
        self._bridge = bridge
        self._id = toolset_id
        self._seen: Any = None
        self._published: dict[str, PydanticAIDefinition] = {}

    @property
    def id(self) -> str | None:
        """The id that the application gave."""
        return self._id

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """Return the current tools of the toolkit."""
        definitions = self._bridge.toolkit.definitions
        if definitions is not self._seen:
            self._published = {name: _published(each) for name, each in definitions.items()}
            self._seen = definitions
        return {
            name: ToolsetTool(
                toolset=self, tool_def=each, max_retries=ctx.max_retries, args_validator=_ANYTHING
            )
            for name, each in self._published.items()
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> ToolReturn[Any]:
        """Call a tool; return its content, and metadata for the application.

        Raises ModelRetry, ToolFailed or ApprovalRequired, which the framework handles.
        """
        confirm = self._bridge.confirm or (agreed if ctx.tool_call_approved else undecided)
        try:
            response = await self._bridge.call(name, tool_args, ctx, confirm, **_reporters(ctx))
        except ConfirmationPending as pending:
            asked = pending.confirmation
            raise ApprovalRequired({"message": asked.message, "preview": asked.preview}) from None
        return _returned(response)


def _published(definition: ToolDefinition) -> PydanticAIDefinition:
    wanted = definition.get("targets", {}).get("openai", {}).get("strict")
    return PydanticAIDefinition(
        name=definition["name"],
        description=definition["description"],
        parameters_json_schema=deepcopy(definition["input_schema"]),
        return_schema=deepcopy(definition.get("output_schema")),
        # pydantic-ai's strict form of a schema differs from toolgen's and would not be undone, so it is never
        # requested; None lets pydantic-ai set strict if the author's schema is strict already
        strict=False if wanted is False else None,
        defer_loading=definition.get("load") == "deferred",
        metadata=application_metadata(definition),
    )


def _returned(response: ToolResponse) -> ToolReturn[Any]:
    if isinstance(response.error, InvalidRequestError):
        raise ModelRetry(response.as_text())
    if response.error is not None:
        raise ToolFailed(response.as_text())
    metadata = {
        "metadata": dict(response.metadata),
        "extras": dict(response.extras),
        "final_answer": response.final_answer,
    }
    if not response.blocks:
        return ToolReturn(response.content, metadata=metadata)
    metadata["blocks"] = [block.as_dict() for block in response.blocks]
    first = [response.content] if response.content_as_text() else []  # empty: there are only blocks
    return ToolReturn([*first, *map(_content, response.blocks)], metadata=metadata)


def _content(block: Block) -> str | BinaryContent:
    """Return the data of a block, which the framework gives to the model as well as that can take it."""
    if not block.data or block.media_type is None or block.type == "text" or text_of_file(block) is not None:
        return block_as_text(block)
    return BinaryContent(block.data, media_type=block.media_type)


def _reporters(ctx: RunContext[Any]) -> dict[str, Any]:
    """Return `progress` and `listen` that emit events of the run."""

    async def progress(done: float, total: float | None, message: str | None) -> None:
        await ctx.emit(ToolkitProgress(progress=done, total=total, message=message))

    async def listen(chunk: Any) -> None:
        await ctx.emit(ToolkitChunk(chunk=chunk))

    return {"progress": progress, "listen": listen}
