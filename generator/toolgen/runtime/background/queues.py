"""Queues that bring tasks to workers: SAQ on Redis, or this process itself for development.

A queue carries the name of a task and its sealed call, as JSON. It may deliver a task twice, late or not at
all: the record of the task decides who starts it, and who looks at a task that waits has it queued again.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, Protocol, TypeAlias
from weakref import WeakKeyDictionary

from toolgen.runtime.settings import SettingError
from toolgen.runtime.stores.call_records import LEASE_SECONDS
from toolgen.runtime.stores.store import SECONDS, StoreError

Execute: TypeAlias = Callable[[str, str, Callable[[], Awaitable[None]]], Coroutine[Any, Any, None]]
"""Runs a task in a worker, unless it is for another one: its name, its sealed call, and a function to await
while it runs."""

NEEDED: Final = "TOOLGEN_TASK_QUEUE needs the package saq: pip install 'toolgen[tasks]'"
_NAME: Final = "toolgen"
_FUNCTION: Final = "run"
_DELIVERIES: Final = 10_000  # of one task, to workers that die or stop
_TIMERS: Final[Any] = {"sweep": 5, "abort": 5, "worker_info": 5}  # seconds; the longest delays a stop
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

        running = asyncio.get_running_loop().create_task(self.execute(name, sealed, touch))
        self._running.add(running)
        running.add_done_callback(self._running.discard)


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
            await execute(name, sealed, context["job"].update)

        async def started(_: Any) -> None:
            on_start()

        logging.getLogger("saq").setLevel(logging.WARNING)
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
        from redis import asyncio as redis
        from saq.queue.redis import RedisQueue

        client = redis.Redis.from_url(self._url, socket_connect_timeout=SECONDS, **options)
        return RedisQueue(client, name=_NAME)
