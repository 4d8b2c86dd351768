"""The one call path, for every adapter: raw arguments in, a ToolResponse out, no tool fault raised."""

from __future__ import annotations

import os
from collections.abc import Coroutine, Mapping, MutableMapping
from dataclasses import dataclass, replace
from typing import Any

from toolgen.runtime.confirmation.confirm import ConfirmedCall, preview_of
from toolgen.runtime.confirmation.question import ConfirmationPending
from toolgen.runtime.confirmation.tokens import ConfirmationTokens
from toolgen.runtime.context import Caller, ToolConfig, ToolContext
from toolgen.runtime.contract import ToolContract, contract_of, kind_of
from toolgen.runtime.errors import InsufficientScopeError, MissingDependencyError, NotReadyError, ToolError
from toolgen.runtime.instrumentation.error_mapping import explain, told_metadata
from toolgen.runtime.instrumentation.record import CallRecord, failed, note_failure, watch
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.settings import Settings
from toolgen.runtime.tool import BaseTool
from toolgen.runtime.validation.request import accepted, as_object, new_id, read_request

from .invoke import PreparedMethod, perform, within
from .readiness import Readiness
from .result import BrokenContract, written, written_metadata


@dataclass(frozen=True, slots=True)
class Environment:
    """What a toolkit gives to all its calls."""

    context: Mapping[Any, Any]
    config: ToolConfig
    settings: Settings
    confirmations: ConfirmationTokens
    extras: MutableMapping[str, Any] | None = None  # of the session; None: there is none
    session_id: str | None = None

    def plus(self, context: Mapping[Any, Any]) -> Environment:
        """The same, with more context."""
        return replace(self, context={**self.context, **context})


@dataclass(frozen=True, slots=True)
class PreparedTool:
    """A tool that can be called: everything that can be found out about it is."""

    contract: ToolContract
    description: str
    execute: PreparedMethod
    preview: PreparedMethod | None  # None: the spec asks for none
    readiness: Readiness
    direct: bool  # an `async def` that takes nothing from the application and gives its result whole

    def answer(
        self, arguments: Any, caller: Caller, environment: Environment
    ) -> Coroutine[Any, Any, ToolResponse]:
        """Check, confirm, inject, execute, check again. Raises only cancellation and ConfirmationPending."""
        extras = {} if environment.extras is None else environment.extras
        call = ToolContext(
            new_id(), self.contract.name, environment.config, caller.meta, extras, caller.progress
        )
        call.principal, call.session_id = caller.principal, environment.session_id
        call.final_answer = self.contract.final_answer
        watched = watch(call, self.description)
        if watched is None:
            return self._answer((arguments, caller, environment), call, None)
        return self._watched((arguments, caller, environment), call, watched)

    async def _watched(
        self, given: tuple[Any, Caller, Environment], call: ToolContext, watched: CallRecord
    ) -> ToolResponse:
        with watched:
            await watched.started(given[0])
            response = await self._answer(given, call, watched)
            await watched.ended(response)
            return response

    async def _answer(
        self, given: tuple[Any, Caller, Environment], call: ToolContext, watched: CallRecord | None
    ) -> ToolResponse:
        contract, (arguments, caller, environment) = self.contract, given
        metadata: dict[str, Any] = {"call_id": call.call_id}
        try:
            if contract.scopes or contract.secrets:
                _admit(contract, caller, call)
            request = read_request(contract, arguments, call.call_id, metadata)
            if watched is not None:
                await watched.validated()
            if contract.secrets:
                _require(contract, call)
            if not self.readiness.done:
                await _set_up(self, call)
            if contract.confirm is not None or caller.preview:
                checked = accepted(contract, arguments, {}) if "coerced" in metadata else arguments
                confirmed = ConfirmedCall(
                    contract=contract,
                    method=self.preview,
                    arguments=as_object(contract, checked),
                    request=request,
                    call=call,
                    caller=caller,
                    context=environment.context,
                    tokens=environment.confirmations,
                    metadata=metadata,
                )
                if caller.preview:
                    content, text = await confirmed.show()
                else:
                    content, text = await confirmed.run(
                        lambda: self._execute(request, call, caller, environment, watched)
                    )
            else:
                content, text = await self._execute(request, call, caller, environment, watched)
            if call.final_answer is not True and call.final_answer is not False:
                raise BrokenContract("context.final_answer must be True or False")
            if call.metadata or contract.metadata_model is not None:
                metadata = {**written_metadata(contract, call.metadata), **metadata}
        except ConfirmationPending:
            raise
        except Exception as error:  # the agent gets an answer, whatever happened; the log gets the rest
            told = explain(error, contract, call)
            if watched is None:
                failed(call, told)
            metadata = {**told_metadata(call), **metadata}
            return ToolResponse(contract.name, False, None, told, metadata, extras=_extras(call, environment))
        extras = call.extras if environment.extras is None else _extras(call, environment)
        return ToolResponse(
            contract.name,
            True,
            content,
            None,
            metadata,
            final_answer=call.final_answer and not caller.preview,
            extras=extras,
            text=text,
        )

    async def _execute(
        self,
        request: Any,
        call: ToolContext,
        caller: Caller,
        environment: Environment,
        watched: CallRecord | None,
    ) -> tuple[Any, str]:
        contract, execute = self.contract, self.execute
        if execute.streams:
            execute = _heard(execute, caller, watched)
        if self.direct:  # what `perform` would do, without its detour
            work = execute.method(request, call)
            result = await (
                work if contract.timeout is None else within(contract.timeout, contract.name, work)
            )
            return written(contract, result)
        finished: tuple[Any, str] = await within(
            contract.timeout, contract.name, perform(execute, request, call, environment.context)
        )
        return finished


def prepare_tool(tool: BaseTool[Any, Any]) -> PreparedTool:
    """Prepare an instance. Raises ValueError where one of its schemas is not usable."""
    contract = contract_of(type(tool))
    description = tool.definition["description"]
    execute = PreparedMethod(
        contract, tool.execute, kind_of(tool.execute), written, contract.chunk_schema is not None
    )
    preview: PreparedMethod | None = None
    if contract.confirm is not None and contract.confirm.get("preview"):
        method: Any = getattr(tool, "preview", None)
        preview = PreparedMethod(contract, method, kind_of(method), preview_of)
    direct = execute.kind == "coroutine" and not execute.streams and not contract.inject
    return PreparedTool(contract, description, execute, preview, Readiness(tool), direct)


def _admit(contract: ToolContract, caller: Caller, call: ToolContext) -> None:
    """Let in only who is allowed; have the tool's secrets at hand. Raises InsufficientScopeError."""
    if caller.scopes is not None and not contract.scopes <= caller.scopes:
        missing = sorted(contract.scopes - caller.scopes)
        raise InsufficientScopeError(
            f"{contract.name} needs permissions that this caller lacks: {', '.join(missing)}.",
            details={"missing": missing},
        )
    call.secrets = {name: value for name in contract.secrets if (value := os.environ.get(name))}


def _require(contract: ToolContract, call: ToolContext) -> None:
    """Have every secret that the tool needs. Raises MissingDependencyError."""
    for name in contract.secrets:
        if name not in call.secrets:
            raise MissingDependencyError(
                f"The application has not set the environment variable {name}, which {contract.name} needs.",
                details={"name": name},
            )


async def _set_up(ready: PreparedTool, call: ToolContext) -> None:
    """Have the tool set up, in its time. Raises the ToolError that its `setup` raises, or NotReadyError."""
    try:
        await within(ready.contract.timeout, ready.contract.name, ready.readiness.prepare())
    except ToolError:
        raise
    except Exception as error:
        note_failure(call, f"could not be set up: {type(error).__name__}", error)
        raise NotReadyError(
            f"{call.tool_name} is not ready: its set-up failed. Reference: {call.call_id}."
        ) from None


def _heard(execute: PreparedMethod, caller: Caller, watched: CallRecord | None) -> PreparedMethod:
    """The work of one call, its chunks told to who listens."""
    if watched is None:
        return execute if caller.listen is None else replace(execute, listen=caller.listen)

    async def listen(chunk: Any) -> None:
        await watched.chunk(chunk)
        if caller.listen is not None:
            await caller.listen(chunk)

    return replace(execute, listen=listen)


def _extras(call: ToolContext, environment: Environment) -> dict[str, Any]:
    """What the call left, as it is now; kept for the session, too, where the tool put another mapping."""
    left = dict(call.extras)
    if environment.extras is not None and call.extras is not environment.extras:
        environment.extras.clear()
        environment.extras.update(left)
    return left
