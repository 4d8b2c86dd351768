"""The diagnostics of the file that somebody types in wait for nothing else: a server in this process."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from toolgen.cli.language_server import server as language_server
from toolgen.cli.language_server.analysis import FileAnalysis, JointFindings, find_together
from toolgen.cli.language_server.server import SpecServer

from tests.processes import PATIENCE

from .conftest import FIND, SHOP


class Session:
    """A session with a server, whose messages are kept."""

    def __init__(self, root: Path) -> None:
        self.root, self.server, self.version = root, SpecServer(), 0
        self.published: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.server.protocol.set_writer(self, include_headers=False)
        self.send("initialize", {"processId": None, "rootUri": None, "capabilities": {}}, id=1)

    def write(self, data: bytes) -> None:
        message = json.loads(data)
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published.put_nowait(message["params"])

    def close(self) -> None:
        pass

    def send(self, method: str, params: dict[str, Any], **more: Any) -> None:
        text = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more})
        protocol = self.server.protocol
        protocol.handle_message(json.loads(text, object_hook=protocol.structure_message))

    def type(self, path: str, text: str) -> None:
        self.version += 1
        document = {"uri": (self.root / path).as_uri(), "languageId": "yaml", "version": self.version}
        self.send("textDocument/didOpen", {"textDocument": {**document, "text": text}})

    def change_on_disk(self, path: str, text: str) -> None:
        (self.root / path).write_text(text)
        change = {"uri": (self.root / path).as_uri(), "type": 2}
        self.send("workspace/didChangeWatchedFiles", {"changes": [change]})

    async def diagnostics(self) -> None:
        """Wait for the diagnostics of what was typed last."""
        async with asyncio.timeout(PATIENCE):
            while (await self.published.get()).get("version") != self.version:
                pass


class Looks:
    """`find_together`, which can be stopped, and says when it is done."""

    def __init__(self) -> None:
        self.begun, self.done, self.may_run = (
            threading.Semaphore(0),
            threading.Semaphore(0),
            threading.Event(),
        )
        self.may_run.set()

    def __call__(self, *args: Any) -> JointFindings:
        self.begun.release()
        self.may_run.wait()
        found = find_together(*args)
        self.done.release()
        return found


@contextmanager
def looking() -> Iterator[Looks]:
    """Let servers look at all files without a pause, through what is yielded."""
    found = Looks()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(language_server, "find_together", found)
        patch.setattr(language_server, "QUIET", 0.01)
        try:
            yield found
        finally:
            found.may_run.set()
            gc.unfreeze()


@pytest.fixture
def looks() -> Iterator[Looks]:
    with looking() as found:
        yield found


async def until(semaphore: threading.Semaphore) -> None:
    assert await asyncio.to_thread(semaphore.acquire, timeout=PATIENCE)


def test_a_changed_shared_file_does_not_wait_until_all_files_were_looked_at(shop: Path, looks: Looks) -> None:
    async def edit() -> None:
        session = Session(shop)
        session.type("specs/find_orders.yaml", FIND)
        await until(looks.done)
        looks.may_run.clear()
        session.change_on_disk("specs/place_order.yaml", "name: other\n")
        await until(looks.begun)
        await until(looks.begun)
        session.change_on_disk("specs/schemas/shop.yaml", SHOP.replace("40", "50"))
        session.type("specs/find_orders.yaml", FIND + "# typed\n")
        await session.diagnostics()
        looks.may_run.set()

    asyncio.run(edit())


def test_the_collector_looks_at_no_analyses_after_the_first_look(shop: Path) -> None:
    # in a process of its own: here, other tests have frozen objects
    with ProcessPoolExecutor(1, get_context("spawn")) as processes:
        assert processes.submit(collected_analyses, shop).result() == 0


def collected_analyses(shop: Path) -> int:
    """Return how many analyses the collector looks at after a server has looked at all files."""

    async def edit(looks: Looks) -> None:
        session = Session(shop)
        session.type("specs/find_orders.yaml", FIND)
        await until(looks.done)
        await session.diagnostics()

    gc.unfreeze()
    with looking() as looks:
        asyncio.run(edit(looks))
        return sum(isinstance(each, FileAnalysis) for each in gc.get_objects())
