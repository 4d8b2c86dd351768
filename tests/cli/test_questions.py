"""Questions at the terminal, while an event loop runs."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import signal
import threading

import pytest
from toolgen.cli import output

from tests.end_to_end.project import SECONDS


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> int:
    mine, theirs = pty.openpty()
    monkeypatch.setattr("sys.stdin", os.fdopen(theirs))
    monkeypatch.setattr("sys.stderr", io.StringIO())
    return mine


async def test_the_event_loop_continues_while_the_user_thinks(keyboard: int) -> None:
    async def type_answer() -> None:
        os.write(keyboard, b"yes\n")

    unblock = threading.Timer(SECONDS, os.write, (keyboard, b"nobody else typed\n"))
    unblock.start()
    try:
        answer, _ = await asyncio.gather(output.ask_in_event_loop("Sure? "), type_answer())
    finally:
        unblock.cancel()
    assert answer == "yes"


def test_an_interrupt_ends_the_question(keyboard: int) -> None:
    async def ask() -> str:
        asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGINT)
        return await output.ask_in_event_loop("Sure? ")

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(ask())
