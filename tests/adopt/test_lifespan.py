"""The lifespan of an adopted server: one for all of its tools."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from toolgen.serving.adopted.lifespan import Lifespans


class Server:
    """Counts how often its lifespan is entered and left."""

    def __init__(self, fails: int = 0) -> None:
        self.entered = self.left = 0
        self.fails = fails
        self.tasks: set[object] = set()

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[int]:
        self.entered += 1
        await asyncio.sleep(0)
        if self.entered <= self.fails:
            raise OSError("no database")
        self.tasks.add(asyncio.current_task())
        try:
            yield self.entered
        finally:
            self.tasks.add(asyncio.current_task())  # cancel scopes are left in the task that entered them
            self.left += 1


async def test_tools_share_one_lifespan() -> None:
    lifespans, server = Lifespans(Server.lifespan), Server()
    await asyncio.gather(*(lifespans.enter(server) for _ in range(5)))
    assert lifespans.value(server) == 1
    for _ in range(4):
        await lifespans.leave(server)
        assert server.left == 0
    await lifespans.leave(server)
    assert lifespans.value(server) is None
    assert (server.entered, server.left) == (1, 1)
    assert len(server.tasks) == 1
    await _again(lifespans, server)
    assert (server.entered, server.left) == (2, 2)


async def _again(lifespans: Lifespans, server: Server) -> None:
    await lifespans.enter(server)
    assert lifespans.value(server) == server.entered
    await lifespans.leave(server)


async def test_a_lifespan_that_fails_is_tried_again() -> None:
    lifespans, server = Lifespans(Server.lifespan), Server(fails=1)
    entering = (lifespans.enter(server) for _ in range(3))
    found = await asyncio.gather(*entering, return_exceptions=True)
    assert [str(each) for each in found] == ["no database"] * 3
    await _again(lifespans, server)
    assert (server.entered, server.left) == (2, 1)
