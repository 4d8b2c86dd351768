"""The one call path, for every adapter: raw arguments in, a ToolResponse out, no tool fault raised."""

from __future__ import annotations

import logging
import os
from collections.abc import Coroutine, Mapping, MutableMapping
from dataclasses import dataclass, replace
from typing import Any

from .answer import written, written_metadata
from .ask import Question, ask, preview_text
from .confirm import ConfirmationPending, TokenDesk
from .context import Caller, ToolConfig, ToolContext
from .errors import InsufficientScopeError, MissingDependencyError, NotReadyError, ToolError
from .explain import explain, told_metadata
from .perform import Work, perform, within
from .plan import Plan, kind_of, plan_of
from .request import accepted, as_object, new_id, read_request
from .response import ToolResponse
from .setup import Readiness
from .tool import BaseTool
from .watch import Watch, failed, log, watch


@dataclass(frozen=True, slots=True)
class Setting:
    """What a toolkit gives to all its calls."""

    context: Mapping[Any, Any]
    config: ToolConfig
    desk: TokenDesk
    extras: MutableMapping[str, Any] | None = None  # of the session; None: there is none

    def plus(self, context: Mapping[Any, Any]) -> Setting:
        """The same, with more context."""
        return replace(self, context={**self.context, **context})


@dataclass(frozen=True, slots=True)
class Ready:
    """A tool that can be called: everything that can be found out about it is."""

    plan: Plan
    description: str
    execute: Work
    preview: Work | None  # None: the spec asks for none
    readiness: Readiness
    direct: bool  # an `async def` that takes nothing from the application and gives its result whole

    def answer(self, arguments: Any, caller: Caller, setting: Setting) -> Coroutine[Any, Any, ToolResponse]:
        """Check, confirm, inject, execute, check again. Raises only cancellation and ConfirmationPending."""
        extras = {} if setting.extras is None else setting.extras
        call = ToolContext(new_id(), self.plan.name, setting.config, caller.meta, extras, caller.progress)
        watched = watch(call, self.description)
        if watched is None:
            return self._answer((arguments, caller, setting), call, None)
        return self._watched((arguments, caller, setting), call, watched)

    async def _watched(
        self, given: tuple[Any, Caller, Setting], call: ToolContext, watched: Watch
    ) -> ToolResponse:
        with watched:
            await watched.started(given[0])
            response = await self._answer(given, call, watched)
            await watched.ended(response)
            return response

    async def _answer(
        self, given: tuple[Any, Caller, Setting], call: ToolContext, watched: Watch | None
    ) -> ToolResponse:
        plan, (arguments, caller, setting) = self.plan, given
        metadata: dict[str, Any] = {"call_id": call.call_id}
        try:
            if plan.scopes or plan.secrets:
                _admit(plan, caller, call)
            request = read_request(plan, arguments, call.call_id, metadata)
            if watched is not None:
                await watched.validated()
            if plan.secrets:
                _require(plan, call)
            if not self.readiness.done:
                await _set_up(self, call)
            if plan.confirm is not None:
                asked = accepted(plan, arguments, {}) if "coerced" in metadata else as_object(plan, arguments)
                question = Question(plan, self.preview, asked, request, call)
                await ask(question, (caller.confirm, caller.token), setting.context, setting.desk, metadata)
            execute = self.execute
            if execute.streams:
                execute = _heard(execute, caller, watched)
            if self.direct:  # what `perform` would do, without its detour
                work = execute.method(request, call)
                result = await (work if plan.timeout is None else within(plan.timeout, plan.name, work))
                content, text = written(plan, result)
            else:
                work = perform(execute, request, call, setting.context)
                content, text = await within(plan.timeout, plan.name, work)
            if call.metadata or plan.metadata_model is not None:
                metadata = {**written_metadata(plan, call.metadata), **metadata}
        except ConfirmationPending:
            raise
        except Exception as error:  # the agent gets an answer, whatever happened; the log gets the rest
            told = explain(error, plan, call)
            if watched is None:
                failed(call, told)
            metadata = {**told_metadata(call), **metadata}
            return ToolResponse(plan.name, False, None, told, metadata, extras=_extras(call, setting))
        extras = call.extras if setting.extras is None else _extras(call, setting)
        return ToolResponse(
            plan.name, True, content, None, metadata, final_answer=plan.final_answer, extras=extras, text=text
        )


def make_ready(tool: BaseTool[Any, Any]) -> Ready:
    """Prepare an instance. Raises ValueError where one of its schemas is not usable."""
    plan = plan_of(type(tool))
    description = tool.definition["description"]
    execute = Work(plan, tool.execute, kind_of(tool.execute), written, plan.chunk_gate is not None)
    preview: Work | None = None
    if plan.confirm is not None and plan.confirm.get("preview"):
        method: Any = getattr(tool, "preview", None)
        preview = Work(plan, method, kind_of(method), preview_text)
    direct = execute.kind == "coroutine" and not execute.streams and not plan.inject
    return Ready(plan, description, execute, preview, Readiness(tool), direct)


def _admit(plan: Plan, caller: Caller, call: ToolContext) -> None:
    """Let in only who is allowed; have the tool's secrets at hand. Raises InsufficientScopeError."""
    if caller.scopes is not None and not plan.scopes <= caller.scopes:
        missing = sorted(plan.scopes - caller.scopes)
        raise InsufficientScopeError(
            f"{plan.name} needs permissions that this caller lacks: {', '.join(missing)}.",
            details={"missing": missing},
        )
    call.secrets = {name: value for name in plan.secrets if (value := os.environ.get(name))}


def _require(plan: Plan, call: ToolContext) -> None:
    """Have every secret that the tool needs. Raises MissingDependencyError."""
    for name in plan.secrets:
        if name not in call.secrets:
            raise MissingDependencyError(
                f"The application has not set the environment variable {name}, which {plan.name} needs.",
                details={"name": name},
            )


async def _set_up(ready: Ready, call: ToolContext) -> None:
    """Have the tool set up, in its time. Raises the ToolError that its `setup` raises, or NotReadyError."""
    try:
        await within(ready.plan.timeout, ready.plan.name, ready.readiness.prepare())
    except ToolError:
        raise
    except Exception as error:
        log(call, logging.ERROR, "could not be set up", "failed", error, code=NotReadyError.code)
        raise NotReadyError(
            f"{call.tool_name} is not ready: its set-up failed. Reference: {call.call_id}."
        ) from None


def _heard(execute: Work, caller: Caller, watched: Watch | None) -> Work:
    """The work of one call, its chunks told to who listens."""
    if watched is None:
        return execute if caller.listen is None else replace(execute, listen=caller.listen)

    async def listen(chunk: Any) -> None:
        await watched.chunk(chunk)
        if caller.listen is not None:
            await caller.listen(chunk)

    return replace(execute, listen=listen)


def _extras(call: ToolContext, setting: Setting) -> dict[str, Any]:
    """What the call left, as it is now; kept for the session, too, where the tool put another mapping."""
    left = dict(call.extras)
    if setting.extras is not None and call.extras is not setting.extras:
        setting.extras.clear()
        setting.extras.update(left)
    return left
