"""Run toolgen at a pseudo-terminal and answer its questions."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time

from .conftest import Cli


def at_a_terminal(project: Cli, words: list[str], talk: list[tuple[str, str]], **env: str) -> tuple[str, int]:
    """Run toolgen at a terminal: wait for each text, type the answer. Return the output and the exit code."""
    mine, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "toolgen", *words],
        cwd=project.root,
        env={**os.environ, **env},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        close_fds=True,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that ^C is a signal
    )
    os.close(theirs)
    shown, seen = "", 0
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
        shown += data.decode()
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
