"""Stores that processes share: SQLite, and a Redis server of the test's own."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Self

from tests.end_to_end.replicas import free_port


class RedisServer:
    """A Redis server in a folder; a context manager. It persists each write."""

    def __init__(self, folder: Path) -> None:
        assert shutil.which("redis-server"), "install it: apt-get install redis-server"
        self._folder, self._port = folder, free_port()
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self._process: subprocess.Popen[bytes]

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(self, *error: Any) -> None:
        self._process.send_signal(signal.SIGCONT)
        self._end()

    def stopped(self) -> None:
        """Stop the server."""
        self._end()

    def frozen(self) -> None:
        """Let the server accept connections and never answer."""
        self._process.send_signal(signal.SIGSTOP)

    def restored(self) -> None:
        """Continue, or start again with what was persisted."""
        self._process.send_signal(signal.SIGCONT)
        if self._process.poll() is not None:
            self._start()

    def emptied(self) -> None:
        """Restart the server without its data."""
        self._end()
        for file in self._folder.glob("appendonlydir/*"):
            file.unlink()
        self._start()

    def _start(self) -> None:
        import redis

        options = ["--port", str(self._port), "--bind", "127.0.0.1", "--dir", str(self._folder)]
        kept = ["--save", "", "--appendonly", "yes", "--appendfsync", "always"]
        self._process = subprocess.Popen(
            ["redis-server", *options, *kept], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        client = redis.Redis(port=self._port)
        deadline = time.monotonic() + 30
        while True:
            try:
                client.ping()
                break
            except redis.ConnectionError:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        client.close()

    def _end(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait(30)
