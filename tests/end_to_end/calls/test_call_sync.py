"""`Toolkit.call_sync`: synchronous code calls tools, inside and outside of a running event loop."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from toolgen.runtime import ToolContext, Toolkit

from generated.tools.echo import EchoRequest, EchoResponse, EchoTool
from tests.end_to_end.project import SECONDS

USER = contextvars.ContextVar("USER", default="nobody")


class Pooled(EchoTool):
    """A tool whose set-up opens a connection that belongs to one event loop."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self.loops: set[asyncio.AbstractEventLoop] = set()

    async def setup(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.events.append("setup")

    async def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        assert asyncio.get_running_loop() is self.loop
        await asyncio.sleep(0)
        return EchoResponse(text=f"{request.text} {USER.get()}")

    async def close(self) -> None:
        assert asyncio.get_running_loop() is self.loop
        self.events.append("close")


def loop_threads() -> int:
    return sum(thread.name == "toolgen-call-sync" for thread in threading.enumerate())


def text(toolkit: Toolkit, said: str, **options: Any) -> str:
    return str(toolkit.call_sync("echo", {"text": said}, **options).content["text"])


def test_call_sync_works_outside_of_a_loop_with_one_set_up_for_all_calls() -> None:
    tool = Pooled()
    with Toolkit([tool]) as toolkit:
        assert [text(toolkit, said) for said in "ab"] == ["a nobody", "b nobody"]
    assert tool.events == ["setup", "close"]


def test_many_threads_share_one_loop_and_keep_their_context_variables() -> None:
    toolkit = Toolkit([Pooled()])
    before = loop_threads()

    def work(number: int) -> str:
        USER.set(f"user {number}")
        return text(toolkit, "a")

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(work, range(64)))
    assert said == [f"a user {number}" for number in range(64)]
    assert loop_threads() == before + 1
    toolkit.close_sync()
    assert loop_threads() == before


def test_an_async_tool_that_calls_it_in_its_own_loop_is_not_a_deadlock() -> None:
    class Nested(EchoTool):
        async def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
            with pytest.raises(RuntimeError, match="use `await call`"):
                toolkit.call_sync("echo", {"text": "b"})
            return EchoResponse(text="refused")

    toolkit = Toolkit([Nested()])
    assert text(toolkit, "a") == "refused"
    toolkit.close_sync()


def test_an_abandoned_toolkit_leaves_no_thread() -> None:
    before = loop_threads()
    toolkit = Toolkit([Pooled()])
    text(toolkit, "a")
    assert loop_threads() == before + 1
    (thread,) = [each for each in threading.enumerate() if each.name == "toolgen-call-sync"][-1:]
    del toolkit
    gc.collect()
    thread.join(SECONDS)
    assert loop_threads() == before


INTERRUPTED = """
import asyncio, sys, threading
from toolgen.runtime import BaseTool, Toolkit

class Waiting(BaseTool):
    definition = {"name": "wait", "py_name": "wait", "class_name": "WaitTool", "description": "Wait.",
                  "input_schema": {"type": "object"}}
    async def execute(self, request, context):
        print("started", flush=True)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            print("cancelled", flush=True)
            raise

toolkit = Toolkit([Waiting()])
try:
    toolkit.call_sync("wait", {})
except KeyboardInterrupt:
    toolkit.close_sync()
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_an_interrupt_cancels_the_call() -> None:
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=SECONDS)
    assert said.split() == ["cancelled", "interrupted"]
    assert process.returncode == 0
