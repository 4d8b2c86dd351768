"""The one call path, for every adapter: raw arguments in, a ToolResponse out, no tool fault raised."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from inspect import isawaitable
from time import perf_counter
from typing import Any, Literal

from .answer import BrokenContract, written
from .ask import Question, ask, preview_text
from .confirm import ConfirmationPending, TokenDesk
from .context import LOGGER, Caller, ToolConfig, ToolContext, ToolEvent
from .errors import InternalError, InvalidResponseError, ToolError
from .perform import Work, perform, within
from .plain import is_json
from .plan import Plan, kind_of, plan_of
from .request import as_object, new_id, read_request
from .response import ToolResponse
from .tool import BaseTool


@dataclass(frozen=True, slots=True)
class Setting:
    """What a toolkit gives to all its calls."""

    context: Mapping[str, Any]
    config: ToolConfig
    desk: TokenDesk

    def plus(self, context: Mapping[str, Any]) -> Setting:
        """The same, with more context."""
        return Setting({**self.context, **context}, self.config, self.desk)


@dataclass(frozen=True, slots=True)
class Ready:
    """A tool that can be called: everything that can be found out about it is."""

    plan: Plan
    execute: Work
    preview: Work | None  # None: the spec asks for none

    async def answer(self, arguments: Any, caller: Caller, setting: Setting) -> ToolResponse:
        """Check, confirm, inject, execute, check again. Raises only cancellation and ConfirmationPending."""
        plan = self.plan
        metadata: dict[str, Any] = {"call_id": new_id()}
        call = ToolContext(metadata["call_id"], plan.name, setting.config, caller.meta, {}, caller.progress)
        watched = setting.config.callback is not None
        began = perf_counter() if watched else 0.0
        try:
            if watched:
                await tell(call, "started", {"arguments": arguments})
            request = read_request(plan, arguments, call.call_id)
            if watched:
                await tell(call, "validated")
            if plan.confirm is not None:
                question = Question(plan, self.preview, as_object(plan, arguments), request, call)
                await ask(question, (caller.confirm, caller.token), setting.context, setting.desk, metadata)
            work = perform(self.execute, request, call, setting.context)
            content, text = await (work if plan.timeout is None else within(plan.timeout, plan.name, work))
        except ConfirmationPending:
            raise
        except Exception as error:  # the agent gets an answer, whatever happened; the log gets the rest
            told = explain(error, plan, call)
            if watched:
                await tell(call, "failed", {"error": told.as_dict(), "seconds": perf_counter() - began})
            return ToolResponse(plan.name, False, error=told, metadata=metadata, extras=call.extras)
        if watched:
            await tell(call, "finished", {"content": content, "seconds": perf_counter() - began})
        return ToolResponse(plan.name, True, content, None, metadata, plan.final_answer, call.extras, text)


def make_ready(tool: BaseTool[Any, Any]) -> Ready:
    """Prepare an instance. Raises ValueError where one of its schemas is not usable."""
    plan = plan_of(type(tool))
    execute = Work(plan, tool.execute, kind_of(tool.execute), written, plan.chunk_gate is not None)
    if plan.confirm is None or not plan.confirm.get("preview"):
        return Ready(plan, execute, None)
    preview: Any = getattr(tool, "preview", None)
    return Ready(plan, execute, Work(plan, preview, kind_of(preview), preview_text))


def explain(error: Exception, plan: Plan, call: ToolContext) -> ToolError:
    """What the caller is told of `error`; what it is not told is logged under the call's id."""
    if isinstance(error, ToolError):
        if not isinstance(error, plan.errors):
            log(
                call,
                logging.WARNING,
                "tool %s raised %r, which its spec does not declare (call %s)",
                error.code,
            )
        if error.details is not None and not is_json(error.details):
            log(
                call,
                logging.WARNING,
                "tool %s raised %r with details that are not JSON (call %s)",
                error.code,
            )
            error.details = None
        return error.with_traceback(None)
    if isinstance(error, BrokenContract):
        log(call, logging.ERROR, "tool %s broke its contract: %s (call %s)", str(error))
        return InvalidResponseError(
            f"The tool ran, but its answer breaks its contract. Reference: {call.call_id}."
        )
    log(call, logging.ERROR, "tool %s failed with %s (call %s)", type(error).__name__, error)
    return InternalError(f"The tool failed. Reference: {call.call_id}.")


def log(call: ToolContext, level: int, message: str, what: str, error: Exception | None = None) -> None:
    """One record, by the application's logger; by ours, if that one raises."""
    arguments = (call.tool_name, what, call.call_id)
    try:
        call.logger.log(level, message, *arguments, exc_info=error)
    except Exception:
        LOGGER.exception("the configured logger raised (call %s)", call.call_id)
        LOGGER.log(level, message, *arguments, exc_info=error)


async def tell(
    call: ToolContext,
    kind: Literal["started", "validated", "finished", "failed"],
    data: Mapping[str, Any] | None = None,
) -> None:
    """Tell the application's callback. What it raises is logged and goes no further."""
    callback = call.config.callback
    if callback is None:
        return
    try:
        answer = callback(ToolEvent(kind, call.tool_name, call.call_id, data or {}))
        if isawaitable(answer):
            await answer
    except Exception as error:
        log(call, logging.ERROR, "the callback for tool %s raised at %r (call %s)", kind, error)
