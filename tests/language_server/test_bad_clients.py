"""Editors that send what is no message, leave without a word, or end the server by a signal."""

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
    message({"jsonrpc": "2.0", "id": 5, "method": "textDocument/definition", "params": {"textDocument": {"uri": "file:///x.yaml"}, "position": {"line": 9, "character": 9}}}),
    message({"jsonrpc": "2.0", "id": 6, "method": "no/such", "params": {}}),
    message({"jsonrpc": "2.0", "id": 7, "result": None}),
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
    assert server.wait(timeout=60) == -signal.SIGTERM


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


def request(number: int, method: str, uri: str, **params: Any) -> bytes:
    params = {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 20}, **params}
    return message({"jsonrpc": "2.0", "id": number, "method": f"textDocument/{method}", "params": params})


def notify(method: str, document: dict[str, Any], **params: Any) -> bytes:
    params = {"textDocument": document, **params}
    return message({"jsonrpc": "2.0", "method": f"textDocument/{method}", "params": params})


def opened(uri: str, text: str) -> bytes:
    return notify("didOpen", {"uri": uri, "languageId": "yaml", "version": 1, "text": text})


def changed(uri: str, *changes: dict[str, Any]) -> bytes:
    return notify("didChange", {"uri": uri, "version": 2}, contentChanges=list(changes))


def talk(server: subprocess.Popen[bytes], *sent: bytes) -> dict[Any, Any]:
    """Return the answers to messages; the server must end as it does for every editor."""
    output, errors = server.communicate(b"".join([*sent, message(EXIT)]), timeout=60)
    assert (server.returncode, errors) == (0, b"")
    return answers(output)


def position(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}


SPEC = """\
name: greet
description: Say hello.
input_schema:
  properties: {who: {$ref: "schemas.yaml#/$defs/Who"}}
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe shows that nothing opens the file")
def test_no_file_outside_of_the_specs_is_read(server: subprocess.Popen[bytes], tmp_path: Path) -> None:
    (tmp_path / "shop/specs").mkdir(parents=True)
    (tmp_path / "shop/toolgen.toml").write_text("")
    os.mkfifo(tmp_path / "pipe.yaml")  # opening it would block for ever
    uri, outside = (tmp_path / "shop/specs/greet.yaml").as_uri(), (tmp_path / "pipe.yaml").as_uri()
    text = SPEC.replace("schemas.yaml", "../../pipe.yaml")
    far = {"start": position(0, 0), "end": position(0, 1)}
    found = talk(
        server,
        message(INITIALIZE),
        opened(uri, text),
        request(3, "definition", uri),
        request(4, "definition", outside),
        request(7, "formatting", outside, options={"tabSize": 2, "insertSpaces": True}),
        request(8, "codeAction", outside, range=far, context={"diagnostics": []}),
        changed(outside, {"range": far, "text": "x"}),
        notify("didSave", {"uri": outside}),
        notify("didClose", {"uri": outside}),
        request(9, "definition", uri, position=position(0, 1)),
        message(SHUTDOWN),
    )
    assert found.keys() >= {3, 4, 7, 8, 9}
    assert not found[3].get("result")
