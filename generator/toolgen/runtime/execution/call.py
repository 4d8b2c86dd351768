"""The call path, the same for every adapter: raw arguments in, a ToolResponse out, no fault of a tool raised.

Cancellation: a call runs in its caller's task. What the caller cancels raises CancelledError out of the
call, as any coroutine does; every other exception of an implementation is an answer (`isolation`).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Mapping, MutableMapping
from dataclasses import dataclass, replace
from inspect import iscoroutinefunction
from typing import Any

from toolgen.runtime.confirmation.confirm import ConfirmedCall, preview_of
from toolgen.runtime.confirmation.question import ConfirmationPending
from toolgen.runtime.confirmation.tokens import ConfirmationTokens
from toolgen.runtime.context import Caller, Listener, ToolConfig, ToolContext
from toolgen.runtime.contract import ToolContract, contract_of, method_kind
from toolgen.runtime.errors import InsufficientScopeError, MissingDependencyError, NotReadyError, ToolError
from toolgen.runtime.execution.request import accepted, as_object, new_id, read_request
from toolgen.runtime.instrumentation.error_mapping import explain, told_metadata
from toolgen.runtime.instrumentation.record import CallRecord, failed, note_failure, watch
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.settings import Settings
from toolgen.runtime.tool import BaseTool

from .async_run import run_async
from .invoke import PreparedMethod, run_method
from .isolation import ApplicationExit, contained, current_task
from .readiness import Readiness
from .result import BrokenContract, written, written_metadata
from .watchdog import IN_FLIGHT, WATCHDOG, names_tool
from .worker_pool import Limiter, WorkerPool


@dataclass(frozen=True, slots=True)
class Environment:
    """What a toolkit gives to all its calls."""

    context: Mapping[Any, Any]
    config: ToolConfig
    settings: Settings
    confirmations: ConfirmationTokens
    pool: WorkerPool  # for plain tools
    extras: MutableMapping[str, Any] | None = None  # of the session; None: there is none
    session_id: str | None = None

    def plus(self, context: Mapping[Any, Any]) -> Environment:
        """Return the same with more context."""
        return replace(self, context={**self.context, **context})


@dataclass(frozen=True, slots=True)
class PreparedTool:
    """A tool whose contract has been compiled and whose implementation is bound."""

    contract: ToolContract
    description: str
    execute: PreparedMethod
    preview: PreparedMethod | None  # None: the spec asks for none
    readiness: Readiness
    direct: (
        bool  # an `async def` that needs no injected value, returns its result whole, as often as is asked
    )

    def answer(
        self, arguments: Any, caller: Caller, environment: Environment
    ) -> Coroutine[Any, Any, ToolResponse]:
        """Check, confirm, inject, execute, check again. Raises only cancellation and ConfirmationPending."""
        extras = {} if environment.extras is None else environment.extras
        call = ToolContext(
            new_id(), self.contract.name, environment.config, caller.meta or {}, extras, caller.progress
        )
        call.principal, call.session_id = caller.principal, environment.session_id
        call.final_answer = self.contract.final_answer
        record = watch(call, self.description)
        if record is None:
            return self._answer(arguments, call, caller, environment, None)
        return self._answer_recorded(arguments, call, caller, environment, record)

    async def _answer_recorded(
        self,
        arguments: Any,
        call: ToolContext,
        caller: Caller,
        environment: Environment,
        record: CallRecord,
    ) -> ToolResponse:
        with record:
            await record.started(arguments)
            response = await self._answer(arguments, call, caller, environment, record)
            await record.ended(response)
            return response

    async def _answer(
        self,
        arguments: Any,
        call: ToolContext,
        caller: Caller,
        environment: Environment,
        record: CallRecord | None,
    ) -> ToolResponse:
        contract = self.contract
        metadata: dict[str, Any] = {"call_id": call.call_id}
        IN_FLIGHT[call] = task = current_task()
        if WATCHDOG.asleep:
            WATCHDOG.start()
        cancelled_before = 0 if task is None else task.cancelling()
        if caller.progress is not None:
            call.loop = asyncio.get_running_loop()
        try:
            if contract.scopes or contract.secrets:
                _admit(contract, caller, call)
            request = read_request(contract, arguments, call.call_id, metadata)
            if record is not None:
                await record.validated()
            if contract.secrets:
                _require(contract, call)
            if not self.readiness.done:
                await _set_up(self, call, environment)
            if contract.confirm is not None or caller.preview:
                checked = accepted(contract, arguments, {}) if "coerced" in metadata else arguments
                confirmed = ConfirmedCall(
                    contract=contract,
                    method=self.preview,
                    arguments=as_object(contract, checked),
                    request=request,
                    call=call,
                    caller=caller,
                    environment=environment,
                    metadata=metadata,
                )
                content, text = await self._run_confirmed(confirmed, record)
            elif self.direct:  # as `run_method`, which takes a twelfth longer for what needs nothing
                result = await run_async(self.execute.method(request, call), contract.timeout, contract.name)
                content, text = written(contract, result, environment.settings)
            else:
                listen = _listener(caller, record)
                content, text = await run_method(self.execute, request, call, environment, listen)
            if call.final_answer is not True and call.final_answer is not False:
                raise BrokenContract("context.final_answer must be True or False")
            if call.metadata or contract.metadata_model is not None:
                metadata = {**written_metadata(contract, call.metadata, environment.settings), **metadata}
        except ConfirmationPending:
            raise
        except ApplicationExit as exit_:
            raise exit_.error from None
        except BaseException as raised:  # the agent gets an answer, whatever happened; the log gets the rest
            error = explain(contained(raised, contract.name, task, cancelled_before), contract, call)
            if record is None:
                failed(call, error)
            metadata = {**told_metadata(call), **metadata}
            return ToolResponse(
                contract.name, False, None, error, metadata, extras=_extras(call, environment)
            )
        finally:
            del IN_FLIGHT[call]
            if caller.progress is not None:
                call.progress = None  # what runs on in a thread has nobody to report to
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

    async def _run_confirmed(self, confirmed: ConfirmedCall, record: CallRecord | None) -> Any:
        """Return content and text of a call that the user has to approve, or of its preview."""
        if confirmed.caller.preview:
            return await confirmed.show()
        listen = _listener(confirmed.caller, record)
        return await confirmed.run(
            lambda: run_method(self.execute, confirmed.request, confirmed.call, confirmed.environment, listen)
        )


names_tool(PreparedTool._answer, lambda values: values["call"])


def prepare_tool(tool: BaseTool[Any, Any]) -> PreparedTool:
    """Prepare an instance. Raises ValueError where one of its schemas is not usable."""
    contract = contract_of(type(tool))
    description = tool.definition["description"]
    places = None if contract.concurrency is None else Limiter(contract.concurrency)
    streams = contract.chunk_schema is not None
    execute = PreparedMethod(contract, tool.execute, method_kind(tool.execute), written, places, streams)
    preview: PreparedMethod | None = None
    if contract.confirm is not None and contract.confirm.get("preview"):
        method: Any = getattr(tool, "preview", None)
        preview = PreparedMethod(contract, method, method_kind(method), preview_of, places)
    direct = iscoroutinefunction(tool.execute) and not (streams or contract.inject or places)
    return PreparedTool(contract, description, execute, preview, Readiness(tool, contract), direct)


def _admit(contract: ToolContract, caller: Caller, call: ToolContext) -> None:
    """Check the caller's scopes and fetch the tool's secrets.

    Raises InsufficientScopeError, also where nobody has said what the caller may do.
    """
    granted = frozenset(caller.scopes or ())
    if not contract.scopes <= granted:
        missing = sorted(contract.scopes - granted)
        raise InsufficientScopeError(
            f"{contract.name} needs permissions that this caller lacks: {', '.join(missing)}.",
            details={"missing": missing},
        )
    call.secrets = {name: value for name in contract.secrets if (value := os.environ.get(name))}


def _require(contract: ToolContract, call: ToolContext) -> None:
    """Check that every secret of the tool is set. Raises MissingDependencyError."""
    for name in contract.secrets:
        if name not in call.secrets:
            raise MissingDependencyError(
                f"The application has not set the environment variable {name}, which {contract.name} needs.",
                details={"name": name},
            )


async def _set_up(tool: PreparedTool, call: ToolContext, environment: Environment) -> None:
    """Have the tool set up, in its time. Raises the ToolError that its `setup` raises, or NotReadyError."""
    try:
        await tool.readiness.prepare(environment)
    except ToolError:
        raise
    except Exception as error:
        note_failure(call, f"could not be set up: {type(error).__name__}", error)
        raise NotReadyError(
            f"{call.tool_name} is not ready: its set-up failed. Reference: {call.call_id}."
        ) from None


def _listener(caller: Caller, record: CallRecord | None) -> Listener | None:
    """Return who is given the chunks of a stream: the caller, the application's callback, or both."""
    if record is None:
        return caller.listen

    async def listen(chunk: Any) -> None:
        await record.chunk(chunk)
        if caller.listen is not None:
            await caller.listen(chunk)

    return listen


def _extras(call: ToolContext, environment: Environment) -> dict[str, Any]:
    """Return the extras that the call left, kept for the session where the tool put another mapping."""
    left = dict(call.extras)
    if environment.extras is not None and call.extras is not environment.extras:
        environment.extras.clear()
        environment.extras.update(left)
    return left
