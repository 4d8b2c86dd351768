"""Invalid and hostile sources: a message, exit code 2, no file written, no process left."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from typing import Any

import pytest
from toolgen.sources.mcp_client import bounded_stdio, connection, limits

from tests.cli.conftest import Cli
from tests.http_server import QuietHandler, serve
from tests.processes import NOTES, assert_gone, processor_limit

pytestmark = pytest.mark.skipif(os.name != "posix", reason="looks at processes as POSIX has them")


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the two periods of two seconds that a server has to end."""
    monkeypatch.setattr(bounded_stdio, "GRACE_SECONDS", 0.2)


def refused(cli: Cli, words: str, *command: str, code: str = "bad-source") -> str:
    """Return what the import writes to stderr when it refuses a source. It writes no file."""
    before = cli.tree(".")
    done = cli("import", *command, "--into", "specs")
    assert (done.code, done.out) == (2, ""), done.err
    assert f"error[{code}]" in done.err
    assert words in done.err
    assert len(done.err) < 2000
    assert "Traceback" not in done.err
    after = cli.tree(".")
    notes = dict.fromkeys(("pids", "pids.new", "device", "device.new"))
    assert {**after, **notes} == {**before, **notes}
    return done.err


def refused_within_seconds(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, words: str, *command: str, written: str = "pids"
) -> None:
    """Import from a server with a time limit of one second, or more if it could not even start."""
    for seconds in (1.0, 5.0, 25.0):
        monkeypatch.setattr(limits, "TIME_LIMIT", seconds)
        refused(cli, words, *command)
        if (cli.root / written).exists():
            return


FUNCTION: dict[str, Any] = {"name": "f", "description": "F.", "parameters": {"type": "object"}}
DEEP = "[" * 10_000 + "]" * 10_000
FILES = {
    "empty": (b"", "is empty"),
    "truncated": (json.dumps([FUNCTION]).encode()[:-20], "not JSON"),
    "deep line": (json.dumps(FUNCTION).encode() + b"\n" + DEEP.encode(), "nested more than 150 deep"),
    "deep schema": (
        json.dumps([{"name": "f", "parameters": "@", "inputSchema": "@"}])
        .replace('"@"', '{"not": ' * 10_000 + "{}" + "}" * 10_000)
        .encode(),
        "nested more than 150 deep",
    ),
    "key twice": (b'[{"name": "f", "name": "g"}]', "1:16: 'name' is written twice"),
    "nan": (b'[{"name": "f", "x": NaN}]', "NaN is not a JSON number"),
    "null": (b"null", "expected a "),
    "nameless": (b'{"tools": [\n  {"name": 7}\n]}', "left out #/tools/0: s.json:2:3 (#/tools/0): a "),
    "nameless line": (b"7\n7", "left out line 1: s.json:1: expected a "),
    "long name": (b'[\n{"name": "%s"}]' % (b"n" * 300), "s.json:2:1 (#/0): 'nnn"),
}


@pytest.mark.parametrize("kind", ["mcp", "openai"])
@pytest.mark.parametrize("case", FILES)
def test_files(empty: Cli, kind: str, case: str) -> None:
    data, words = FILES[case]
    (empty.root / "s.json").write_bytes(data)
    refused(empty, words, kind, "s.json")


@pytest.mark.parametrize(("kind", "key"), [("mcp", "inputSchema"), ("openai", "parameters")])
@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"$ref": "#/properties/a"}}},
        {"$ref": "file:///etc/passwd", "properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}},
        {"properties": {f"p{n}": {"pattern": "(", "$ref": f"#/$defs/{n}"} for n in range(500)}},
        {"properties": {"{{ 7 * 7 }}": {"title": "\x00\u202e'\"\"\"\n", "default": "{% raise %}"}}},
    ],
    ids=["property", "elsewhere", "many", "text"],
)  # fmt: skip
def test_hostile_schemas(empty: Cli, kind: str, key: str, schema: dict[str, Any]) -> None:
    tool = {"name": "f", "description": "F.", key: {"type": "object", **schema}}
    (empty.root / "s.json").write_text(json.dumps([tool]))
    (empty.root / "toolgen.toml").write_text("")
    with processor_limit(30):
        assert empty("import", kind, "s.json").code == 0
        assert empty("generate").code == 0
    if "7 * 7" in str(schema):
        assert "49" not in (empty.root / "generated" / "models" / "f.py").read_text()


TOO_LATE = "did not answer within"
SERVERS = {
    "garbage": ("print('<html>' * 99, flush=True); time.sleep(99)", TOO_LATE),
    "hangs and ignores": (
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(9)",
        TOO_LATE,
    ),
    "floods stderr": ("\nwhile True: sys.stderr.write('x' * 99999)", TOO_LATE),
}
SPEAKS = """
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "initialize":
        answer["result"] = {
            "protocolVersion": asked["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "s", "version": "1"},
        }
    elif asked["method"] == "tools/list":
        LISTS
    else:
        answer["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(answer), flush=True)
"""
LISTS = {
    "answer['result'] = {'tools': 5}": "",
    "answer['result'] = {'tools': [{'name': '', 'inputSchema': {'type': 'object'}}]}": "a tool without a name",
    "answer['result'] = {'tools': []}": "has no tools",
    "answer['result'] = {'tools': [{'name': 'f\\udc00', 'inputSchema': {'type': 'object'}}]}": "its answer cannot be read",
    "answer['result'] = {'tools': [{'name': 'f', 'inputSchema': {'type': 'object'}}], 'nextCursor': str(asked['id'])}": "does not end",
    "answer['error'] = {'code': 1, 'message': 'not today'}": "not today",
}


def server_command(cli: Cli, text: str) -> list[str]:
    (cli.root / "server.py").write_text(f"import os; os.chdir({str(cli.root)!r})\n{NOTES}import json\n{text}")
    return ["mcp", "--stdio", shlex.join([sys.executable, "-B", str(cli.root / "server.py")])]


@pytest.mark.parametrize("kind", SERVERS)
def test_servers(empty: Cli, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    text, words = SERVERS[kind]
    refused_within_seconds(empty, monkeypatch, words, *server_command(empty, text))
    assert_gone(empty.root)


def test_servers_that_flood_are_stopped(empty: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MAX_ANSWER_BYTES", 1024 * 1024)
    command = server_command(empty, "\nwhile True: sys.stdout.write('x' * 99999)")
    refused(empty, "more than 1 MB", *command, code="too-complex")
    assert_gone(empty.root)


@pytest.mark.parametrize("answer", LISTS)
def test_servers_that_answer_wrongly_are_refused(
    empty: Cli, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    command = server_command(empty, SPEAKS.replace("LISTS", answer))
    for seconds in (2.0, 25.0):  # an unreadable line is told when the time is up; to start may take longer
        monkeypatch.setattr(limits, "TIME_LIMIT", seconds)
        message = refused(empty, "", *command)
        if LISTS[answer] in message:
            break
    assert LISTS[answer] in message
    assert_gone(empty.root)


class Answers(QuietHandler):
    """An HTTP server whose answers depend on the path."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        kind = self.path.strip("/")
        self.rfile.read(int(self.headers.get("Content-Length", 0)))  # else it is taken for the next request
        if kind in ("hangs", "closes"):
            time.sleep(5 if kind == "hangs" else 0)
            self.close_connection = True
        elif kind.isdigit():
            self.send_response(int(kind))
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self.stream(kind)

    do_GET = do_DELETE = do_POST

    def stream(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if "event" in kind else "application/json")
        if kind == "bomb":
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            self.wfile.write(
                {"garbage": b"<html>", "bomb": b"\x1f\x8b\x08\0\0\0", "flood": b"["}.get(kind, b"")
            )
            for _ in range(4000 if kind in ("flood", "events") else 0):
                self.wfile.write(b" " * 9_999 + (b"\n\n" if kind == "events" else b""))
        except OSError:
            return


@pytest.mark.parametrize(
    "kind",
    ["garbage", "hangs", "closes", "flood", "events", "bomb", "500", "307"],
)
def test_servers_over_http(empty: Cli, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    if kind == "hangs":
        monkeypatch.setattr(limits, "TIME_LIMIT", 1.0)
    monkeypatch.setattr(connection, "MAX_ANSWER_BYTES", 1024 * 1024)
    with serve(Answers) as url:
        too_long = kind in ("flood", "events")
        code = "too-complex" if too_long else "bad-source"
        message = refused(empty, url, "mcp", f"{url}/{kind}", code=code)
    if too_long:
        assert "more than 1 MB" in message
    if kind == "307":
        assert "redirects to another origin: http://127.0.0.1:9/elsewhere" in message


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/mcp", "http://[::1"])
def test_unreachable_urls_are_reported(empty: Cli, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setattr(limits, "TIME_LIMIT", 10.0)
    refused(empty, url, "mcp", url)
