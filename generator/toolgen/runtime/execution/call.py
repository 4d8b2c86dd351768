"""The call path, the same for every adapter: raw arguments in, a ToolResponse out.

It begins in `PreparedTool.answer`; `ToolCall._run` has its steps. A call runs in its caller's task. If the
caller cancels it, CancelledError propagates; every other exception of an implementation becomes an error in
the response (`../isolation.py`, `error_mapping.py`).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection, Coroutine, Mapping
from dataclasses import dataclass
from inspect import iscoroutinefunction
from threading import get_ident
from typing import Any, Final

from toolgen.runtime.background.tasks import task_call
from toolgen.runtime.confirmation.question import ConfirmationPending
from toolgen.runtime.context import Caller, CallFailure, Listener, ToolContext, response_metadata
from toolgen.runtime.contract.page import FIRST, open_cursor
from toolgen.runtime.contract.request import accept_arguments, build_request
from toolgen.runtime.contract.result import (
    BrokenContract,
    WrittenResult,
    content_of,
    write_metadata,
    write_page,
    write_result,
    write_result_with_blocks,
)
from toolgen.runtime.contract.tool_contract import contract_of
from toolgen.runtime.errors import InsufficientScopeError, MissingDependencyError, NotReadyError, ToolError
from toolgen.runtime.instrumentation.call_record import CallRecord, log_failure, observe_call
from toolgen.runtime.isolation import WorkClock, contain_exit, run_async
from toolgen.runtime.logs.call_id import new_call_id
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.task import TaskStarted
from toolgen.runtime.tool import BaseTool
from toolgen.schema.document import unshared

from .calls_in_flight import TRACE
from .confirm import ConfirmedCall, preview_of
from .environment import Environment
from .error_mapping import json_metadata, map_error
from .idempotency import AdmittedCall, Claim, check_key
from .invoke import PreparedMethod, run_method
from .loop_watchdog import IN_FLIGHT, WATCHDOG
from .readiness import Readiness
from .threads.worker_pool import Limiter

_CODES_OF_OTHERS: Final = """
cancelled changed_since_confirmed confirmation_required declined
internal_error outcome_unknown timeout too_large
"""
_NOT_BY_THE_TOOL: Final = frozenset(_CODES_OF_OTHERS.split())
"""Codes of failures that are never final answers, because the runtime raises them after the tool."""


class PreparedTool:
    """A tool whose contract has been compiled and whose implementation is bound.

    Raises ValueError if one of its schemas is not valid.
    """

    def __init__(self, tool: BaseTool[Any, Any]) -> None:
        contract = self.contract = contract_of(type(tool))
        self.description: str = tool.definition["description"]
        self.readiness = Readiness(tool, contract)
        limiter = None if contract.concurrency is None else Limiter(contract.concurrency)
        streams = contract.chunk_schema is not None
        has_content = contract.content is not None and not streams
        self.execute = PreparedMethod(
            contract,
            tool.execute,
            write=write_result_with_blocks if has_content else write_result,
            limiter=limiter,
            streams=streams,
            has_content=has_content,
        )
        self.preview: PreparedMethod | None = None
        if contract.confirm is not None and contract.confirm.get("preview"):
            method: Any = getattr(tool, "preview", None)
            self.preview = PreparedMethod(contract, method, write=preview_of, limiter=limiter)
        limits = (contract.rate_limit, contract.idempotency, contract.background)
        # calls have to be admitted: they are limited, may have a key, or run in a worker
        self.is_admitted = any(each is not None for each in limits)
        is_special = streams or has_content or contract.inject or limiter or contract.asks
        # an async generator is not a coroutine function: it streams, and takes the general way
        is_async = iscoroutinefunction(tool.execute)
        self.is_direct = is_async and not (is_special or self.is_admitted)

    def answer(
        self, arguments: Any, caller: Caller, environment: Environment
    ) -> Coroutine[Any, Any, ToolResponse]:
        """Run one call and return its response. Raises only CancelledError and ConfirmationPending."""
        contract = self.contract
        context = ToolContext(
            new_call_id(),
            contract.name,
            environment.config,
            caller.meta or {},
            {} if environment.extras is None else environment.extras,
            caller.progress,
            principal=caller.principal,
            session_id=environment.session_id,
            info=contract.definition,
        )
        if caller.headers:
            context.headers = caller.headers
        record = observe_call(context, self.description)
        metadata = response_metadata(context)
        call = ToolCall(
            contract, arguments, context, caller, metadata, self, environment, record, caller.preview
        )
        if record is not None:
            return call.answer_recorded(record)
        return call.answer() if caller.idempotency_key is None else call.answer_once()


@dataclass(slots=True, eq=False)
class ToolCall(AdmittedCall):
    """One call of a tool."""

    tool: PreparedTool
    environment: Environment
    record: CallRecord | None  # None: neither logs, events nor spans are wanted
    is_preview: bool  # nobody is asked, and nothing is done
    claim: Claim | None = None  # on the caller's idempotency key, from when the call is executed

    async def answer_recorded(self, record: CallRecord) -> ToolResponse:
        """Return the response; write a log record, a span and events around the call."""
        with record:
            if record.notifies:
                await record.report("started", arguments=self.arguments)
            response = await (self.answer() if self.caller.idempotency_key is None else self.answer_once())
            await record.ended(response)
            return response

    async def answer_once(self) -> ToolResponse:
        """Return the response of a call with an idempotency key; store it for other calls with the key."""
        try:
            response = await self.answer()
            if self.claim is not None and self.context.has_begun:
                await self.claim.settle(response)
            elif self.claim is not None:
                await self.claim.release()
            return response
        finally:
            if self.claim is not None:
                self.claim.close()

    async def answer(self) -> ToolResponse:
        """Return the response of the call: its result, or the error that its caller receives."""
        context, reports_progress = self.context, self.caller.progress is not None
        IN_FLIGHT[context] = asyncio.current_task(), get_ident()
        traced = None if TRACE.descriptor is None else TRACE.begin(context.tool_name, context.call_id)
        if WATCHDOG.asleep:
            WATCHDOG.start()
        if reports_progress:
            context.loop = asyncio.get_running_loop()
        try:
            result = await (self._run_admitted() if self.tool.is_admitted else self._run())
        # the application asks the user elsewhere: neither a success nor a failure of the call
        except (ConfirmationPending, TaskStarted):
            raise
        # of the caller, as `run_async` contains those of a tool
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except BaseException as raised:  # the agent gets a response in any case; the log has the details
            return self._failure(contain_exit(raised, context.tool_name))
        finally:
            del IN_FLIGHT[context]
            if traced is not None:
                TRACE.end(traced)
            if reports_progress:
                context.progress = None  # for a thread that continues after its call
        if isinstance(result, ToolResponse):
            return result
        response = ToolResponse(
            context.tool_name,
            True,
            result.content,
            None,
            self.metadata,
            final_answer=context.final_answer and not self.is_preview,
            extras=self._extras(),
            text=result.text,
            blocks=result.blocks,
        )
        return response if context.returned is None else response.with_fields_of(context.returned)

    async def _run_admitted(self) -> WrittenResult | ToolResponse:
        """Run the steps of a call that a worker may run; wait for the worker unless a task is wanted."""
        try:
            return await self._run()
        except TaskStarted as started:
            if self.caller.as_task or self.environment.tasks is None:
                raise
            response = await self.environment.tasks.wait_for_caller(
                started.task, self.context.principal, self.caller.progress
            )
            return response.with_metadata(self.metadata)

    async def _run(self) -> WrittenResult | ToolResponse:
        """Run the steps of a call in its caller's task, in order. Raises what any of them raises.

        Return the result, or the response of a call that was executed before.
        """
        contract, context = self.contract, self.context
        if contract.scopes:
            check_scopes(contract.scopes, self.caller.scopes, contract.name)
        if contract.secrets:
            values = ((name, os.environ.get(name)) for name in contract.secrets)
            # before validation, so that every record of the call redacts them
            context.secrets = {name: value for name, value in values if value}
        if self.caller.idempotency_key is not None:
            check_key(contract, self.caller.idempotency_key)
        position = FIRST
        if contract.page is not None:  # the implementation gets its own cursor
            position = open_cursor(contract.page, contract.name, self.arguments)
            self.arguments = position.arguments
        self.arguments = accept_arguments(
            contract, self.arguments, self.metadata, is_lenient=self.caller.is_lenient
        )
        # a question or a worker needs them unchanged after a request was made of them
        if contract.confirm is not None or contract.background is not None:
            self.arguments = unshared(self.arguments)
            request = self._new_request()
        else:
            request = build_request(contract, self.arguments)
        if self.record is not None and self.record.notifies:
            await self.record.report("validated")
        if contract.secrets:
            check_secrets(contract.secrets, context.secrets, contract.name)
        if not self.tool.readiness.done:
            await self._set_up()
        if contract.only_if is not None:
            self.is_preview = self.is_preview or contract.only_if.is_false(self.arguments)
        if self.caller.idempotency_key is not None and not self.is_preview:
            answered = await self.environment.admission.find(self)
            if answered is not None:
                return answered
        # the preview of a tool without one is refused there, with a reason
        result: WrittenResult | ToolResponse
        if contract.confirm is not None or self.caller.preview:
            result = await self._confirm_and_execute(request)
        elif self.tool.is_direct:  # the same as `_execute`, which takes a fifth longer
            method = self.tool.execute.method
            returned = await run_async(method(request, context), contract.timeout, contract.name)
            if isinstance(returned, ToolResponse):
                returned = content_of(returned, context)
            result = write_result(contract, returned, self.environment.settings)
        else:
            result = await self._execute(request)
        if isinstance(result, ToolResponse):
            return result
        # after validation, because the schema describes the whole response
        if contract.page is not None and not self.caller.preview:
            rule = contract.page.limited(self.caller.max_page_bytes)
            result = write_page(contract, rule, result, position)
        # tools may set any value, which JSON clients would receive
        if context.final_by_tool is not None and type(context.final_by_tool) is not bool:
            raise BrokenContract("context.final_answer must be True or False")
        if context.metadata or contract.metadata_model is not None:
            written = write_metadata(contract, context.metadata, self.environment.settings)
            self.metadata = {**written, **self.metadata}
        return result

    async def _set_up(self) -> None:
        """Set the tool up, within its time limit. Raises a ToolError of `setup`, else NotReadyError."""
        try:
            await self.tool.readiness.prepare(self.environment)
        except ToolError:
            raise
        except Exception as error:
            context = self.context
            context.failure = CallFailure(f"could not be set up: {type(error).__name__}", error)
            raise NotReadyError(
                f"{context.tool_name} is not ready: its set-up failed. Reference: {context.call_id}."
            ) from None

    def _new_request(self) -> Any:
        """Return a request that shares nothing with the arguments, nor with other requests of the call."""
        # values of type Any are those of the input, and validators may change it
        return build_request(self.contract, unshared(self.arguments))

    async def _confirm_and_execute(self, request: Any) -> WrittenResult | ToolResponse:
        """Execute after the user has agreed; only preview if the caller, or `confirm.only_if`, says so."""
        unused = [request]

        def new_request() -> Any:
            return unused.pop() if unused else self._new_request()

        kind = ConfirmedCall
        if (self.contract.confirm or {}).get("proof") == "person":
            from .approved_call import ApprovedCall  # only tools whose calls people approve need it

            kind = ApprovedCall
        confirmed = kind(self, self.tool.preview, new_request, self.environment)
        if self.caller.preview:
            return await confirmed.show()
        if self.is_preview:
            await self.environment.admission.count(self)
            return await confirmed.respond()
        return await confirmed.run(lambda: self._execute(new_request()))

    async def _execute(self, request: Any) -> WrittenResult | ToolResponse:
        """Return the validated result, or the response of a call that was executed before.

        Raises what refuses the call, and TaskStarted.
        """
        if self.tool.is_admitted and not self.caller.in_worker:
            entered = await self.environment.admission.enter(self)
            if isinstance(entered, ToolResponse):
                return entered
            self.claim = entered
            tasks, result_ttl = self.environment.tasks, self.contract.background
            # values of one call's context do not travel
            if tasks is not None and result_ttl is not None and not self.caller.context:
                call = task_call(self.contract, self.arguments, self.context, self.caller)
                task = await tasks.submit(call, result_ttl)
                if self.claim is not None:
                    await self.claim.link(task)
                raise TaskStarted(task)
        if self.contract.asks:
            self.context.ask, self.context.clock = self.caller.elicit, WorkClock()
        result: WrittenResult = await run_method(
            self.tool.execute,
            request,
            self.context,
            environment=self.environment,
            listen=self._listener(),
        )
        return result

    def _listener(self) -> Listener | None:
        """Return the function that gets the chunks of a stream, for the caller and for events."""
        record, listen_of_caller = self.record, self.caller.listen
        # a stream without observers passes chunks without a further frame
        if record is None:
            return listen_of_caller

        async def listen(chunk: Any) -> None:
            await record.report("chunk", chunk=chunk)
            if listen_of_caller is not None:
                await listen_of_caller(chunk)

        return listen

    def _failure(self, raised: Exception) -> ToolResponse:
        """Return the response of a call that ended with an exception."""
        context = self.context
        error = map_error(raised, self.contract, context)
        # with a record, `ended` writes the failure with the duration
        if self.record is None:
            log_failure(context, error)
        metadata = {**json_metadata(context), **self.metadata}
        # only an answer of the tool itself: not a crash, a timeout or a result that breaks its contract
        is_own = isinstance(raised, ToolError) and error.code not in _NOT_BY_THE_TOOL
        return ToolResponse(
            context.tool_name,
            False,
            error=error,
            metadata=metadata,
            final_answer=is_own and context.final_by_tool is True and not self.is_preview,
            extras=self._extras(),
        )

    def _extras(self) -> Mapping[str, Any]:
        """Return the call's extras. In a session, they are stored for its next call."""
        extras, stored = self.context.extras, self.environment.extras
        if stored is None:
            return extras
        result = dict(extras)
        # the session keeps its mapping, which other calls of it hold
        if extras is not stored:  # the tool has replaced the mapping
            stored.clear()
            stored.update(result)
        return result


def check_scopes(needed: frozenset[str], granted: Collection[str] | None, tool: str) -> None:
    """Raise InsufficientScopeError if a scope is not among `granted`; None grants nothing."""
    missing = sorted(needed.difference(granted or ()))
    if missing:
        message = f"{tool} needs permissions that this caller lacks: {', '.join(missing)}."
        raise InsufficientScopeError(message, details={"missing": missing})


def check_secrets(needed: Collection[str], found: Collection[str], tool: str) -> None:
    """Raise MissingDependencyError if an environment variable of `needed` was not `found`."""
    for name in needed:
        if name not in found:
            message = f"The application has not set the environment variable {name}, which {tool} needs."
            raise MissingDependencyError(message, details={"name": name})
