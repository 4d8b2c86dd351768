"""Queues that bring tasks to workers: SAQ on Redis, or this process itself for development.

A queue carries the name of a task and its sealed call, as JSON. It may deliver a task twice, or late: the
record of the task decides who starts it.
"""

from __future__ import annotations

import asyncio
import logging
import random
import signal
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, Protocol, TypeAlias
from weakref import WeakKeyDictionary

from toolgen.runtime.settings import SettingError
from toolgen.runtime.stores.backends import SECONDS, StoreError
from toolgen.runtime.stores.call_records import LEASE_SECONDS

Execute: TypeAlias = Callable[[str, str, Callable[[], Awaitable[None]]], Awaitable[bool]]
"""Runs a task in a worker: its name, its sealed call, and a function to await while it runs. Returns False
if the task is for another worker."""

NEEDED: Final = "TOOLGEN_TASK_QUEUE needs the package saq: pip install 'toolgen[tasks]'"
_NAME: Final = "toolgen"
_FUNCTION: Final = "run"
_DELIVERIES: Final = 10_000  # of one task, to workers that die or have another version of its tool
_TIMERS: Final[Any] = {"sweep": 5, "abort": 5, "worker_info": 5}  # seconds; the longest delays a stop
_ABORT_SECONDS: Final = 0.2  # for a worker that seems to be dead, before another one gets its task
_STOP_SECONDS: Final = 5.0  # for tasks that were told to end


class TaskQueue(Protocol):
    """Brings tasks to workers."""

    async def put(self, name: str, sealed: str) -> None:
        """Queue a task. Raises StoreError if the queue did not confirm it."""
        ...


class LocalQueue:
    """Runs tasks in this process. They end with it."""

    def __init__(self) -> None:
        self.execute: Execute | None = None
        self._running: set[asyncio.Task[Any]] = set()

    async def put(self, name: str, sealed: str) -> None:
        assert self.execute is not None

        async def touch() -> None:
            return

        running = asyncio.get_running_loop().create_task(_finished(self.execute(name, sealed, touch)))
        self._running.add(running)
        running.add_done_callback(self._running.discard)


async def _finished(work: Awaitable[bool]) -> None:
    await work


class _ForAnotherWorkerError(Exception):
    """Makes SAQ put a job back, and try it again after its delay."""


def _is_no_return(record: logging.LogRecord) -> bool:
    """False for SAQ's record of a job that was put back on purpose."""
    return not (record.exc_info and isinstance(record.exc_info[1], _ForAnotherWorkerError))


class SaqQueue:
    """Queues tasks in Redis with SAQ (https://github.com/tobymao/saq)."""

    def __init__(self, url: str) -> None:
        """Raises SettingError without `saq`, ValueError if redis-py refuses the URL."""
        try:
            import saq.queue.redis  # noqa: F401
        except ImportError as error:
            raise SettingError(NEEDED) from error
        from redis import asyncio as redis

        redis.Redis.from_url(url)  # refuse a wrong URL now
        self._url = url
        # a connection belongs to an event loop
        self._queues: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

    async def put(self, name: str, sealed: str) -> None:
        from redis import RedisError

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
                retry_delay=1.0,
                retry_backoff=5.0,  # at most, and with jitter
                ttl=-1,  # the record has the result
            )
        except (RedisError, OSError) as error:
            raise StoreError(f"Redis: {error}") from error

    async def work(
        self, execute: Execute, on_start: Callable[[], object], *, at_once: int, grace: float
    ) -> int | None:
        """Run tasks until SIGTERM or SIGINT, and return that; those that run then get `grace` seconds.

        While Redis is away, it tries again, but not for ever at the start. Raises StoreError if Redis cannot
        be reached then, or if it ends for that without a signal.
        """
        from redis import RedisError
        from saq.worker import Worker

        async def run(context: Any, *, name: str, sealed: str) -> None:
            if not await execute(name, sealed, context["job"].update):
                raise _ForAnotherWorkerError

        async def started(_: Any) -> None:
            on_start()

        saq_logger = logging.getLogger("saq")
        saq_logger.setLevel(logging.WARNING)
        saq_logger.addFilter(_is_no_return)
        queue = self._open()
        # by default, it waits five seconds for the worker of each such job
        queue.sweep = partial(queue.sweep, abort=_ABORT_SECONDS)
        take = queue.dequeue

        async def dequeue(timeout: float, poll_interval: float) -> Any:
            # Redis serves the longest wait: with a fixed rhythm, one worker could always take a task that is
            # for another version, and put it back
            return await take(timeout=random.uniform(0.2, 1.5) * timeout, poll_interval=poll_interval)

        queue.dequeue = dequeue
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
            worker.event.set()

        worker.SIGNALS = []  # SAQ's own handlers do not say which signal came
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop, number)
        try:
            try:
                await self._ping()
                if not received:  # SAQ forgets a stop before its start
                    await worker.start()
            finally:
                for number in (signal.SIGTERM, signal.SIGINT):
                    loop.remove_signal_handler(number)
                await queue.disconnect()
        except (RedisError, OSError) as error:
            # a stopped worker tells Redis so; if that is away, leases hand its tasks on
            if not received:
                raise StoreError(f"Redis: {error}") from error
        return received[0] if received else None

    async def _ping(self) -> None:
        """Raise a RedisError if Redis does not answer, after as many tries as its client makes."""
        queue = self._open(socket_timeout=SECONDS)
        try:
            await queue.redis.ping()
        finally:
            await queue.disconnect()

    def _open(self, **options: Any) -> Any:
        from redis import asyncio as redis
        from saq.queue.redis import RedisQueue

        client = redis.Redis.from_url(self._url, socket_connect_timeout=SECONDS, **options)
        return RedisQueue(client, name=_NAME)
