"""Tasks of a toolkit: submitted, observed and cancelled by callers, executed once by workers.

The call and its answer are sealed with keys that only servers and workers have, and bound to the id of the
task. Whoever can write to the queue can therefore run nothing, and forge no answer. The record of a task
(`stores/call_records.py`) lets one worker start it: a second time only if the tool is idempotent and the
first worker has died. Every task ends in a response, which is `outcome_unknown` if its worker has died, or
is cancelled.

Queues bring tasks to workers: SAQ on Redis, or this process itself for development. A queue carries the
name of a task and its sealed call, as JSON. It may deliver a task twice, late or not at all: the record of
the task decides who starts it, and who looks at a task that waits has it queued again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import signal
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import asdict
from secrets import token_bytes, token_urlsafe
from typing import Any, Final, TypeAlias
from uuid import uuid4
from weakref import WeakKeyDictionary

from toolgen.runtime.confirmation.tokens import KEY_BYTES, Approved, Sealer, digest_of_question, parse_keys
from toolgen.runtime.context import Caller, Progress, ToolContext
from toolgen.runtime.contract.tool_contract import ToolContract
from toolgen.runtime.errors import NotReadyError, OutcomeUnknownError, ToolError
from toolgen.runtime.instrumentation.telemetry import continuing, current_context
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.response_codec import dump_response, load_response
from toolgen.runtime.settings import SettingError, Settings
from toolgen.runtime.stores import call_records
from toolgen.runtime.stores.call_records import LEASE_SECONDS, CallRecords, Change, Record, open_call_records
from toolgen.runtime.stores.store import SECONDS, StoreError
from toolgen.runtime.task import Task, TaskCall, TaskState, TaskStatus
from toolgen.runtime.validation.json_value import is_json

RESTARTS: Final = 3  # times that an idempotent task is started, if its workers die
LOOK_SECONDS: Final = 1.0  # until a worker sees that its task was cancelled, and callers see progress
STORE_TRIES: Final = 5  # to store an answer
AWAY_SECONDS: Final = 60.0  # that a waiting call waits for a store that does not answer
_FIRST_PAUSE: Final = 0.05  # seconds between two looks at a task
_PURPOSE: Final = b"toolgen/task"
_ID: Final = 24  # bytes


Find: TypeAlias = Callable[[str], ToolContract | None]
"""Returns the contract of a tool; None if there is none here. Raises what loading the tool raises."""
Call: TypeAlias = Callable[[str, Any, Caller], Awaitable[ToolResponse]]
"""Runs a call: the name of its tool, its arguments and its caller."""


class Tasks:
    """The tasks that a queue, its records and its keys have in common. Safe to use from several event loops.

    Args:
        records: who executes a task, and how it ended.
        queue: brings tasks to workers.
        sealer: seals calls and answers.
        find: finds tools by name.
        call: runs the calls.
    """

    def __init__(
        self, records: CallRecords, queue: LocalQueue | SaqQueue, sealer: Sealer, find: Find, call: Call
    ) -> None:
        self.queue, self.call = queue, call
        self._records, self._sealer, self._find = records, sealer, find
        if isinstance(queue, LocalQueue):
            queue.execute = self.execute

    @classmethod
    def from_settings(cls, settings: Settings, find: Find, call: Call) -> Tasks | None:
        """Return the tasks of the queue that is configured; None without one. Raises SettingError."""
        if settings.task_queue is None:
            return None
        keys = () if settings.task_key is None else parse_keys(settings.task_key, "TOOLGEN_TASK_KEY")
        is_local = settings.task_queue == "memory"
        if not keys and not is_local:
            raise SettingError("TOOLGEN_TASK_QUEUE needs TOOLGEN_TASK_KEY, which seals what is queued")
        if settings.task_queue.startswith("sqlite:"):
            raise SettingError("TOOLGEN_TASK_QUEUE must be memory or redis://host:port, not 'sqlite'")
        records = open_call_records("task_queue", settings.task_queue)
        queue = LocalQueue() if is_local else SaqQueue(settings.task_queue)
        try:
            sealer = Sealer(keys or [token_bytes(KEY_BYTES)], _PURPOSE)
        except ModuleNotFoundError as error:
            raise SettingError("tasks need the package cryptography: pip install 'toolgen[tasks]'") from error
        return cls(records, queue, sealer, find, call)

    # for callers

    async def submit(self, call: TaskCall, result_ttl: int) -> Task:
        """Record and queue a call.

        Raises NotReadyError if that failed, OutcomeUnknownError if it may have failed.
        """
        task = Task(token_urlsafe(_ID), call.tool, time.time(), result_ttl)
        name = _name(task.id, call.principal)
        sealed = self._sealer.seal(json.dumps(asdict(call), separators=(",", ":")).encode(), name.encode())
        label = json.dumps([task.tool_name, task.created_at])
        try:
            record = Record("queued", label, float(result_ttl), most=call.most, answer=sealed.encode())
            await self._apply(name, call_records.adding, record)
            await self.queue.put(name, sealed)
        except StoreError as error:
            LOGGER.error("a call of %s could not be queued: %s", call.tool, error)
            with suppress(StoreError):  # the queue may have it: no worker may start it
                left = await self._apply(name, call_records.cancelling)
                if left is None or left.state == "cancelled":
                    raise NotReadyError("The call could not be queued, so nothing was done.") from None
            raise OutcomeUnknownError from None
        return task

    async def status(self, task_id: str, principal: str | None) -> TaskStatus | None:
        """Return how far a task is. Raises StoreError.

        None if there is none, its result has expired, or it is another principal's.
        """
        name = _name(task_id, principal)
        record, is_changed = await self._records.change(name, call_records.queuing)
        if record is None:
            return None
        if record.state == "queued" and is_changed:
            # no worker is free, it came to one with another version of its tool, or was lost with a worker
            tool_name, created_at = json.loads(record.digest)
            waited = time.time() - created_at
            LOGGER.warning(
                "a call of %s has waited %.0f s for a worker: queued again",
                tool_name,
                waited,
                extra={"event": "queued", "tool_name": tool_name},
            )
            try:
                await self.queue.put(name, record.answer.decode())
            except StoreError as error:  # tried again after another lease
                LOGGER.warning("a task cannot be queued again: %s", error)
        return self._status(task_id, name, record)

    async def cancel(self, task_id: str, principal: str | None) -> bool:
        """Cancel a task; False if there is none. One that runs ends soon. Raises StoreError."""
        return await self._apply(_name(task_id, principal), call_records.cancelling) is not None

    async def wait(self, task: Task, principal: str | None, progress: Progress | None = None) -> ToolResponse:
        """Return the response of a task when it has ended.

        Raises StoreError if the store is away for AWAY_SECONDS.
        """
        pause, answered = _FIRST_PAUSE, time.monotonic()
        seen: TaskStatus | None = None
        while True:
            try:
                status = await self.status(task.id, principal)
            except StoreError:
                if time.monotonic() > answered + AWAY_SECONDS:
                    raise
            else:
                answered = time.monotonic()
                if status is None:
                    return _expired(task, seen)
                if status.response is not None:
                    return status.response
                if progress is not None and status.progress not in (None, seen and seen.progress):
                    await progress(*status.progress)
                seen = status
            await asyncio.sleep(pause)
            pause = min(LOOK_SECONDS, pause * 2)

    async def wait_for_caller(
        self, task: Task, principal: str | None, progress: Progress | None
    ) -> ToolResponse:
        """Return the response of a task to who has made the call. If the caller leaves, it is cancelled."""
        try:
            return await self.wait(task, principal, progress)
        except StoreError:
            raise OutcomeUnknownError("The worker that runs the call cannot be asked.") from None
        except asyncio.CancelledError:
            with suppress(StoreError):  # it runs to its end
                await asyncio.shield(self.cancel(task.id, principal))
            raise

    def _status(self, task_id: str, name: str, record: Record) -> TaskStatus:
        tool_name, created_at = json.loads(record.digest)
        task = Task(task_id, tool_name, created_at, int(record.ttl))
        opened = self._sealer.open(record.progress, name.encode()) if record.progress else None
        progress: Any = None if opened is None else tuple(json.loads(opened))
        if record.state == "queued" or record.state == "running":
            return TaskStatus(task, record.state, progress)
        state: TaskState = "cancelled" if record.state == "cancelled" else "finished"
        is_finished = record.state == "finished"
        answer = self._sealer.open(record.answer.decode(), name.encode()) if is_finished else None
        if answer is None:  # cancelled, the worker has died, or somebody else has written the record
            error = OutcomeUnknownError("The task was cancelled." if state == "cancelled" else None)
            return TaskStatus(task, state, progress, ToolResponse(tool_name, False, error=error))
        contract = self._find(tool_name)
        declared = {} if contract is None else contract.declared
        return TaskStatus(task, state, progress, load_response(answer, tool_name, declared, {}))

    async def _apply(self, name: str, change: Change, *arguments: Any) -> Record | None:
        return (await self._records.change(name, change, *arguments))[0]

    # for workers

    async def execute(self, name: str, sealed: str, touch: Callable[[], Awaitable[None]]) -> None:
        """Execute a task if nobody has started it, and its tool has the contract that the caller was shown.

        Otherwise it stays queued. `touch` tells the queue that the worker is alive.
        """
        payload = self._sealer.open(sealed, name.encode())
        if payload is None:
            LOGGER.error("a task was refused: it was not sealed with TOOLGEN_TASK_KEY")
            return
        call, owner = TaskCall(**json.loads(payload)), uuid4().hex
        try:
            contract = self._find(call.tool)
        except Exception:  # it does not load here
            contract = None
        if contract is None or contract.digest != call.contract:
            return
        try:
            record = await self._apply(name, call_records.starting, owner)
        except StoreError as error:
            LOGGER.error("a task could not be started: %s", error)
            return
        # otherwise expired, cancelled, lost, or started by another worker
        if record is not None and record.belongs_to(owner):
            await _Execution(self, name, owner, touch).run(call)


class _Execution:
    """One execution of a task in a worker."""

    def __init__(self, tasks: Tasks, name: str, owner: str, touch: Callable[[], Awaitable[None]]) -> None:
        self._tasks, self._name, self._owner, self._touch = tasks, name, owner, touch
        self._progress: str = ""

    async def run(self, call: TaskCall) -> None:
        tasks = self._tasks
        with continuing(call.trace):
            caller = worker_caller(call, self._report)
            work = asyncio.ensure_future(tasks.call(call.tool, call.arguments, caller))
        try:
            if await self._watch(work):
                await self._end(call_records.leaving, "cancelled")
                return
            answer = tasks._sealer.seal(dump_response(work.result()), self._name.encode())
            await self._end(call_records.finishing, answer.encode())
        except asyncio.CancelledError:  # the worker stops
            work.cancel()
            await asyncio.wait([work], timeout=1.0)
            await self._end(call_records.leaving, "queued")
            raise  # SAQ puts the job back
        except BaseException:
            await self._end(call_records.leaving, "lost")
            raise

    async def _report(self, progress: float, total: float | None, message: str | None) -> None:
        text = json.dumps([progress, total, message])
        self._progress = self._tasks._sealer.seal(text.encode(), self._name.encode())

    async def _watch(self, work: asyncio.Future[ToolResponse]) -> bool:
        """Renew the lease until the work has ended; True if it was cancelled, or its lease has ended."""
        renewed, written = time.monotonic(), ""
        while not (await asyncio.wait([work], timeout=LOOK_SECONDS))[0]:
            try:
                if written != self._progress or time.monotonic() - renewed > LEASE_SECONDS / 3:
                    written, renewed = self._progress, time.monotonic()
                    record = await self._tasks._apply(self._name, call_records.renewing, self._owner, written)
                    await self._touch()
                else:
                    record = await self._tasks._apply(self._name, call_records.observed)
            except Exception as error:
                LOGGER.warning("the lease of a task could not be renewed: %s", error)
                continue
            if record is None or not record.belongs_to(self._owner) or record.is_cancelled:
                work.cancel()
                await asyncio.wait([work])
                return True
        return False

    async def _end(self, change: Change, result: Any) -> None:
        for number in range(STORE_TRIES):
            try:
                await asyncio.shield(self._tasks._apply(self._name, change, self._owner, result))
                return
            except StoreError as error:
                LOGGER.error("how a task ended could not be stored: %s", error)
                await asyncio.sleep(number)


def _expired(task: Task, seen: TaskStatus | None) -> ToolResponse:
    """Return the response for a task without a record, which was `seen` last."""
    if seen is not None and seen.state == "queued":
        error: ToolError = NotReadyError("No worker has started the call in time, so nothing was done.")
    else:
        error = OutcomeUnknownError("The result of the call is not kept any more.")
    return ToolResponse(task.tool_name, False, error=error)


def _name(task_id: str, principal: str | None) -> str:
    """Return the name of a task's record, which says neither the id nor the principal."""
    return "task:" + hashlib.sha256(json.dumps([task_id, principal]).encode()).hexdigest()


def task_call(
    contract: ToolContract, arguments: Mapping[str, Any], context: ToolContext, caller: Caller
) -> TaskCall:
    """Return a call as it travels to a worker."""
    approval = context.approval
    return TaskCall(
        tool=contract.name,
        contract=contract.digest,
        arguments=arguments,
        principal=context.principal,
        scopes=sorted(caller.scopes or ()),
        # tokens and keys are for the process that has read them
        meta={k: v for k, v in context.meta.items() if not k.startswith("toolgen/") and is_json({k: v})},
        approved=None if approval is None else digest_of_question(approval.message, approval.preview),
        approvers=() if approval is None else approval.approvers,
        receipt=None if approval is None else approval.receipt,
        most=RESTARTS if contract.is_idempotent else 1,
        trace=current_context(),
    )


def worker_caller(call: TaskCall, progress: Progress) -> Caller:
    """Return the caller of a call that a worker runs."""
    approved = None
    if call.approved is not None:
        approved = Approved(call.approved, "repeated", approvers=call.approvers, receipt=call.receipt)
    return Caller(
        in_worker=True,
        approved=approved,
        meta=call.meta,
        progress=progress,
        scopes=call.scopes,
        principal=call.principal,
    )


Execute: TypeAlias = Callable[[str, str, Callable[[], Awaitable[None]]], Coroutine[Any, Any, None]]
"""Runs a task in a worker, unless it is for another one: its name, its sealed call, and a function to await
while it runs."""

_NAME: Final = "toolgen"
_FUNCTION: Final = "run"
_DELIVERIES: Final = 10_000  # of one task, to workers that die or stop
_STOP_SECONDS: Final = 5  # for tasks that were told to end
_TIMERS: Final[Any] = dict.fromkeys(("sweep", "abort", "worker_info"), _STOP_SECONDS)  # they delay a stop


class LocalQueue:
    """Runs tasks in this process. They end with it."""

    def __init__(self) -> None:
        self.execute: Execute | None = None
        self._running: set[asyncio.Task[Any]] = set()

    async def put(self, name: str, sealed: str) -> None:
        """Start a task."""
        assert self.execute is not None

        async def touch() -> None:
            return

        running = asyncio.get_running_loop().create_task(self.execute(name, sealed, touch))
        self._running.add(running)
        running.add_done_callback(self._running.discard)


class SaqQueue:
    """Queues tasks in Redis with SAQ (https://github.com/tobymao/saq)."""

    def __init__(self, url: str) -> None:
        """Raises SettingError without `saq`, ValueError if redis-py refuses the URL."""
        try:
            import saq.queue.redis  # noqa: F401  (of the extra `tasks`)
        except ImportError as error:
            message = "TOOLGEN_TASK_QUEUE needs the package saq: pip install 'toolgen[tasks]'"
            raise SettingError(message) from error
        from redis import asyncio as redis  # which saq needs

        redis.Redis.from_url(url)  # refuse a wrong URL now
        logging.getLogger("saq").setLevel(logging.WARNING)  # it logs each task that it queues
        self._url = url
        # a connection belongs to an event loop
        self._queues: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

    async def put(self, name: str, sealed: str) -> None:
        """Queue a task. Raises StoreError if Redis did not confirm it."""
        from redis import RedisError  # which saq needs

        loop = asyncio.get_running_loop()
        queue = self._queues.get(loop)
        if queue is None:
            queue = self._queues[loop] = self._open(socket_timeout=SECONDS)
        try:
            await queue.enqueue(
                _FUNCTION,
                key=name,
                name=name,
                sealed=sealed,
                timeout=0,
                heartbeat=int(LEASE_SECONDS),
                retries=_DELIVERIES,
                ttl=-1,  # the record has the result
            )
        except (RedisError, OSError) as error:
            raise StoreError(f"Redis: {error}") from error

    async def work(
        self, execute: Execute, on_start: Callable[[], object], *, at_once: int, grace: float
    ) -> int | None:
        """Run tasks until SIGTERM or SIGINT, and return that; those that run then get `grace` seconds.

        While Redis is away, it tries again, but only for SECONDS at the start. Raises StoreError if Redis
        cannot be reached then, or if it ends for that without a signal.
        """
        from redis import RedisError  # which saq needs
        from saq.worker import Worker

        async def run(context: Any, *, name: str, sealed: str) -> None:
            await execute(name, sealed, context["job"].update)

        async def started(_: Any) -> None:
            on_start()

        queue = self._open()
        worker: Any = Worker(
            queue,
            [(_FUNCTION, run)],
            concurrency=at_once,
            timers=_TIMERS,
            dequeue_timeout=1.0,
            shutdown_grace_period_s=max(1, int(grace)),
            cancellation_hard_deadline_s=_STOP_SECONDS,
            startup=started,
        )
        received: list[int] = []

        def stop(number: int) -> None:
            received.append(number)
            LOGGER.info("stopping: %s", signal.Signals(number).name, extra={"event": "stopping"})
            worker.event.set()

        worker.SIGNALS = []  # SAQ's own handlers do not say which signal came
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop, number)
        try:
            try:
                async with asyncio.timeout(SECONDS):
                    await queue.redis.ping()
                if not received:  # SAQ forgets a stop before its start
                    await worker.start()
            finally:
                for number in (signal.SIGTERM, signal.SIGINT):
                    loop.remove_signal_handler(number)
                await queue.disconnect()
        except (RedisError, OSError) as error:
            # a stopped worker tells Redis so; if that is away, leases hand its tasks on
            if not received:
                raise StoreError(f"Redis: {str(error) or 'it does not answer'}") from error
        return received[0] if received else None

    def _open(self, **options: Any) -> Any:
        from redis import asyncio as redis  # which saq needs
        from saq.queue.redis import RedisQueue

        client = redis.Redis.from_url(self._url, socket_connect_timeout=SECONDS, **options)
        return RedisQueue(client, name=_NAME)
