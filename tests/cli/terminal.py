"""Run toolgen at a pseudo-terminal and answer its questions."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol


class HasRoot(Protocol):
    """A project in a folder."""

    root: Path


def at_a_terminal(
    project: HasRoot,
    words: Sequence[str],
    talk: Sequence[tuple[str, str]] = (),
    *,
    python: Sequence[str] = (),
    **env: str,
) -> tuple[str, int]:
    """Run toolgen at a terminal: wait for each text, type the answer. Return the output and the exit code.

    `python` is a command of `tests.preloaded`. Without it, ^C is a signal.
    """
    mine, theirs = pty.openpty()
    process = subprocess.Popen(
        [*(python or [sys.executable]), "-m", "toolgen", *words],
        cwd=project.root,
        env={**os.environ, **env},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        close_fds=True,
        start_new_session=True,
        preexec_fn=None if python else lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    shown, seen = "", 0
    decoder = codecs.getincrementaldecoder("utf-8")()  # a read may end within a character
    deadline = time.monotonic() + 90

    def more() -> bool:
        nonlocal shown
        assert time.monotonic() < deadline, shown
        if not select.select([mine], [], [], 1)[0]:
            return True
        try:
            data = os.read(mine, 4096)
        except OSError:  # on Linux, the other end has closed
            return False
        shown += decoder.decode(data)
        return bool(data)

    for wait, answer in talk:
        while wait not in shown[seen:]:
            assert more(), f"{wait!r} never came:\n{shown}"
        seen = shown.index(wait, seen) + len(wait)
        os.write(mine, answer.encode())
    while more():
        pass
    os.close(mine)
    return shown, process.wait(timeout=30)
