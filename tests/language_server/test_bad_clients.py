"""Clients that send garbage, leave without a word, or are ended by a signal; an installation without pygls."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.preloaded import python_command

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"processId": None, "rootUri": None, "capabilities": {}},
}
SHUTDOWN = {"jsonrpc": "2.0", "id": 2, "method": "shutdown"}
EXIT = {"jsonrpc": "2.0", "method": "exit"}


def message(data: Any) -> bytes:
    body = data if isinstance(data, bytes) else json.dumps(data).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [*python_command(os.environ), "-m", "toolgen", "lsp", "--stdio"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    yield process
    process.kill()
    process.communicate()


def answers(output: bytes) -> dict[Any, Any]:
    """Return the answers of a server by their ids."""
    found = {}
    while output:
        head, _, rest = output.partition(b"\r\n\r\n")
        length = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
        data, output = json.loads(rest[:length]), rest[length:]
        if "id" in data and "method" not in data:
            found[data["id"]] = data
    return found


GARBAGE = [
    b"\x00\xff\n\n\r\n",
    b"x" * 200_000 + b"\r\n",
    b"Content-Length: -3\r\n\r\n",
    b"Content-Length: many\r\n\r\n",
    message(b"{"),
    message(b"null"),
    message(b'"text"'),
    message(b"[" * 100_000),
    message(b"\xff\xfe"),
    message({"jsonrpc": "1.0"}),
    message({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": 3}),
    message({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///no/such\u0000.yaml", "languageId": "yaml", "version": 1, "text": "name: a"}}}),
    message({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "untitled:1", "languageId": "yaml", "version": 1, "text": "name: a"}}}),
    message({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///x.yaml", "version": 1}, "contentChanges": [{"text": "a"}]}}),
    message({"jsonrpc": "2.0", "id": 5, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///x.yaml"}, "position": {"line": 9, "character": 9}}}),
    message({"jsonrpc": "2.0", "id": 6, "method": "no/such", "params": {}}),
    message({"jsonrpc": "2.0", "id": 7, "result": None}),
    b"Content-Length: 67200000\r\n\r\n" + b" " * 67_200_000,
]  # fmt: skip


def test_garbage_does_not_end_the_server(server: subprocess.Popen[bytes]) -> None:
    sent = b"".join([message(INITIALIZE), *GARBAGE, message(SHUTDOWN), message(EXIT)])
    output, errors = server.communicate(sent, timeout=60)
    found = answers(output)
    assert found[1]["result"]["serverInfo"]["name"] == "toolgen"
    assert found[5]["result"] is None
    assert found[6]["error"]["code"] == -32601
    assert found[2]["result"] is None
    assert (server.returncode, errors) == (0, b"")


def test_requests_before_the_handshake_are_refused(server: subprocess.Popen[bytes]) -> None:
    opening = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "file:///a.yaml", "languageId": "yaml", "version": 1, "text": ""}}}  # fmt: skip
    sent = b"".join(map(message, [opening, INITIALIZE, SHUTDOWN, EXIT]))
    output, _ = server.communicate(sent, timeout=60)
    assert (server.returncode, set(answers(output))) == (0, {1, 2})


@pytest.mark.parametrize("end", [b"", message(EXIT), b"Content-Length: 100\r\n\r\n{"])
def test_an_editor_that_leaves_without_shutdown_is_exit_1(
    server: subprocess.Popen[bytes], end: bytes
) -> None:
    _, errors = server.communicate(message(INITIALIZE) + end, timeout=60)
    assert (server.returncode, errors) == (1, b"")


def test_a_signal_ends_it_while_it_waits_for_the_editor(server: subprocess.Popen[bytes]) -> None:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(message(INITIALIZE))
    server.stdin.flush()
    server.stdout.readline()
    server.send_signal(signal.SIGTERM)
    assert server.wait(timeout=60) == 130


def test_without_pygls_the_extra_is_named(tmp_path: Path) -> None:
    (tmp_path / "pygls.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'pygls'\", name='pygls')\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "toolgen", "lsp"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "toolgen[lsp]" in done.stderr
