"""The worst requests up to the limits: how long another client waits, and how much memory they take.

`python -m benchmarks.worst [--commit COMMIT | --code FOLDER]` prints a table of this checkout, or of another
installation. `make bench` has it as the rows `worst` and `worst-memory`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import socket
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.wire import WAYS, NoAnswerError, Wire, served

from . import installation, report
from .groups import Bench
from .measure import Samples
from .page import PAGE, fill
from .process import Wrong
from .project import PYTHON, Project
from .worst_requests import REQUESTS, SCHEMAS

BLOCKED = 0.5  # seconds
TIMES, SPARE = 20, 32 * 2**20  # memory: so many times the size of the request, and so many bytes
_PATIENCE = 30.0  # seconds for one request: the next one gets another server
_STARTING = 120.0  # seconds for the first call of each tool, on a busy machine
_BEFORE = Path(__file__).with_name("worst_before.json")
"""What the same requests cost at 493e2ac, before they were bounded: processor time, over HTTP."""
_PAUSE = 0.005  # seconds between two calls of the other client
_TOOL = """\
from pathlib import Path
from toolgen.runtime import Image
from generated.tools.{name} import {base}Tool

def texts(value):
    if isinstance(value, list):
        return "".join(map(texts, value))
    return "".join(map(texts, value.values())) if isinstance(value, dict) else str(value)

class Tool({base}Tool):
    def preview(self, request, context):
        return texts(request.x)

    async def execute(self, request, context):
        return {result}
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """The cost of one request: the longest time that another call waited, and memory above the usual."""

    case: str
    way: str
    size: int  # bytes of the request
    blocked: float  # seconds
    memory: int  # bytes

    @property
    def allowed(self) -> int:
        """Return the memory in bytes that a request of this size may take."""
        return TIMES * self.size + SPARE

    @property
    def is_met(self) -> bool:
        """True if the request keeps both limits."""
        return self.blocked <= BLOCKED and self.memory <= self.allowed


@dataclass(frozen=True, slots=True)
class _Request:
    name: str
    size: int
    send: Callable[[Wire], object]
    ways: tuple[str, ...] = WAYS


def lay_out(folder: Path, code: Path | None, api: int) -> Project:
    """Create and generate the project whose server is measured; `api` is the port of its API."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "specs").mkdir(parents=True)
    (folder / "tools").mkdir()
    (folder / "tools" / "__init__.py").touch()
    (folder / "toolgen.toml").write_text('specs = "specs"\noutput = "generated"\nimplementations = "tools"\n')
    for name, schema in SCHEMAS.items():
        spec: dict[str, Any] = {"name": name, "description": "A tool.", "input_schema": schema}
        if name == "preview":
            spec["confirm"] = {"message": "Do it?", "preview": True}
        if name == "picture":
            spec["content"] = "any"
        result = 'Image(request.text.encode(), media_type="image/svg+xml")' if name == "picture" else '"done"'
        (folder / "specs" / f"{name}.yaml").write_text(json.dumps(spec))
        base = name.title().replace("_", "")
        (folder / "tools" / f"{name}.py").write_text(_TOOL.format(name=name, base=base, result=result))
    operation = {
        "operationId": "fetch",
        "parameters": [{"name": "kind", "in": "query", "schema": {"type": "string"}}],
        "responses": {"200": {"description": "x", "content": {"text/plain": {"schema": {"type": "string"}}}}},
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Api", "version": "1"},
        "servers": [{"url": f"http://127.0.0.1:{api}"}],
        "paths": {"/fetch": {"get": operation}},
    }
    (folder / "api.json").write_text(json.dumps(document))
    project = Project(folder, len(SCHEMAS) + 1, code)
    project.toolgen("import", "openapi", "api.json", "--into", "specs", "--implement")
    project.toolgen("generate")
    return project


def requests() -> Iterator[_Request]:
    """Yield every request, in order of the table."""
    for each in REQUESTS:
        text = each.arguments()
        yield _Request(
            each.name,
            len(text.encode()),
            lambda wire, each=each, text=text: wire.call(each.tool, text, _PATIENCE),
        )  # type: ignore[misc]
    for kind in REPLIES:  # their size is that of the data, when it is unpacked
        size = 20_000_000 if kind.startswith("20 MB") else len(REPLIES[kind]()[1])
        arguments = json.dumps({"kind": kind})
        yield _Request(
            f"an API's reply: {kind}",
            size,
            lambda wire, text=arguments: wire.call("fetch", text, _PATIENCE),  # type: ignore[misc]
        )
    http = tuple(way for way in WAYS if way.startswith("http"))
    yield _Request("2,100 sessions by two version headers", 2_100 * 500, _open_sessions, http[:1])
    yield _Request("300 unfinished DELETEs of 4 MB", 300 * 4_000_000, _unfinished, http)


@cache
def _empty_blocks() -> bytes:
    """Return 300 MB of empty blocks in gzip, packed twice more: nothing, for which all must be unpacked."""
    header, empty_block, last = gzip.compress(b"")[:10], b"\x00\x00\x00\xff\xff", gzip.compress(b"")[10:]
    packer = zlib.compressobj(level=1, wbits=31)
    packed = [packer.compress(header)]
    packed += [packer.compress(empty_block * 1_000_000) for _ in range(60)]
    return gzip.compress(b"".join([*packed, packer.compress(last), packer.flush()]))


REPLIES: dict[str, Callable[[], tuple[dict[str, str], bytes]]] = {
    "640 kB of punycode": lambda: ({"content-type": "text/plain; charset=punycode"}, b"a" * 640_000),
    "three layers of gzip": lambda: (
        {"content-type": "text/plain", "content-encoding": "gzip, gzip, gzip"},
        _empty_blocks(),
    ),
    "20 MB in 20 kB of gzip": lambda: (
        {"content-type": "text/plain", "content-encoding": "gzip"},
        gzip.compress(b" " * 20_000_000),
    ),
}


@contextmanager
def _api() -> Iterator[int]:
    """Run an API that answers with REPLIES; yield its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind = next(
                (each for each in REPLIES if f"kind={each.split()[0]}" in self.path), next(iter(REPLIES))
            )
            headers, body = made[kind]
            self.send_response(200)
            for name, value in {**headers, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    made = {kind: make() for kind, make in REPLIES.items()}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def _open_sessions(wire: Wire) -> None:
    """Open sessions that are not counted, then see whether another client still gets one."""
    body = (
        '{"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}'
    )
    for _ in range(2_100):
        with socket.create_connection(("127.0.0.1", wire.port), _PATIENCE) as connection:
            message = f'{{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {body}}}'
            connection.sendall(
                (
                    "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
                    "accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\n"
                    "mcp-protocol-version: 2026-07-28\r\nconnection: close\r\n"
                    f"content-length: {len(message)}\r\n\r\n{message}"
                ).encode()
            )
            connection.recv(100)
    answer = wire.send("initialize", body, _PATIENCE)
    if b"protocolVersion" not in answer:
        raise NoAnswerError(f"no session is left: {answer[:200]!r}")


def _unfinished(wire: Wire) -> None:
    head = b"DELETE /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 4194304\r\n\r\n"
    with ExitStack() as stack:
        for _ in range(300):
            with suppress(OSError):
                connection = stack.enter_context(
                    socket.create_connection(("127.0.0.1", wire.port), _PATIENCE)
                )
                connection.settimeout(1)
                connection.sendall(head + b"x" * 4_000_000)
        time.sleep(1)


def measure(project: Project, only: str = "") -> Iterator[Figure]:
    """Measure every request in every way; a server that did not answer is started anew."""
    made = [each for each in requests() if only in each.name]
    for way in WAYS:
        left = [each for each in made if way in each.ways]
        while left:
            with served(project.folder, way, project.env, python=PYTHON) as wire:
                wire.call("echo", '{"text": "x"}', _STARTING)
                for tool in (*SCHEMAS, "fetch"):  # imports and schemas are of the first call
                    wire.call(tool, "{}", _STARTING)
                while left:
                    figure = _measured(wire, left.pop(0))
                    print(
                        f"{figure.case}, {way}: {figure.blocked:.2f} s, {figure.memory / 2**20:.0f} MB",
                        file=sys.stderr,
                    )
                    yield figure
                    if figure.blocked >= _PATIENCE:
                        break


def _measured(wire: Wire, request: _Request) -> Figure:
    """Send a request, and meanwhile call `echo` again and again."""
    wire.forget_peak()
    before, failed, done = wire.memory("VmRSS"), threading.Event(), threading.Event()

    def send() -> None:
        try:
            request.send(wire)
        except NoAnswerError:
            failed.set()
        finally:
            done.set()

    now = wire.processor_time if os.environ.get("BENCH_CLOCK") == "cpu" else time.monotonic
    thread = threading.Thread(target=send, daemon=True)
    longest, is_last = 0.0, False
    thread.start()
    while not is_last:
        is_last = done.is_set()  # one more call after the answer
        began = now()
        try:
            wire.call("echo", '{"text": "x"}', _PATIENCE)
        except NoAnswerError:
            longest = _PATIENCE
            break
        longest = max(longest, now() - began)
        time.sleep(_PAUSE)
    thread.join(1)
    if failed.is_set() and wire.process.poll() is not None:
        longest = _PATIENCE
    memory = max(0, wire.memory("VmHWM") - before)
    return Figure(request.name, wire.way, request.size, longest, memory)


def figures(work: Path, code: Path | None = None, only: str = "") -> list[Figure]:
    """Measure the toolgen that is installed, or that of the folder `code`."""
    with _api() as port:
        return list(measure(lay_out(work / "worst", code, port), only))


def table(found: list[Figure]) -> Iterator[tuple[str, ...]]:
    """Yield a heading, and one line for each request: the worst of its ways."""
    before = json.loads(_BEFORE.read_text("utf-8"))
    yield ("request", "size", "another client waits", "memory", "allowed", "", "before")
    for case in dict.fromkeys(each.case for each in found):
        same = [each for each in found if each.case == case]
        blocked = max(same, key=lambda each: each.blocked)
        memory = max(same, key=lambda each: each.memory)
        waits = f"{blocked.blocked:.2f} s" if blocked.blocked < _PATIENCE else f"{_PATIENCE:.0f} s or longer"
        yield (
            case,
            _megabytes(memory.size),
            f"{waits} ({blocked.way})",
            f"{_megabytes(memory.memory)} ({memory.way})",
            _megabytes(memory.allowed),
            "met" if all(each.is_met for each in same) else "missed",
            before.get(case, ""),
        )


def _megabytes(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"


def worst(bench: Bench, size: int) -> Samples:
    """Measure the worst requests: the longest time that another client waits, and the most memory."""
    os.environ["BENCH_CLOCK"] = bench.clock
    found = figures(bench.work)
    blocked = max(found, key=lambda each: each.blocked)
    memory = max(found, key=lambda each: each.memory / each.allowed)
    return {
        "worst request, another client waits": [blocked.blocked],
        "0.5 seconds": [BLOCKED],
        "worst request, memory": [float(memory.memory)],
        "20 times its size and 32 MiB": [float(memory.allowed)],
    }


def main() -> int:
    """Print the table. Return 1 if a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.worst", description=__doc__)
    parser.add_argument("--commit", help="measure toolgen of this commit")
    parser.add_argument("--code", type=Path, help="measure the toolgen in this folder")
    parser.add_argument("--only", default="", help="requests whose name has this text")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="cpu for a busy machine")
    parser.add_argument("--json", type=Path, help="write the figures to this file, too")
    parser.add_argument("--write", action="store_true", help="update the table in docs/performance.md")
    parser.add_argument("--work", type=Path, default=Path("build/bench"), help="folder for the project")
    args = parser.parse_args()
    os.environ["BENCH_CLOCK"] = args.clock
    work = args.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    try:
        code = args.code and args.code.resolve()
        if args.commit:
            code = installation.unpack(args.commit, work, "worst")
        found = figures(work, code, args.only)
    except (Wrong, NoAnswerError) as error:
        print(f"not measured: {error}", file=sys.stderr)
        return 2
    print(report.as_markdown(table(found)))
    if args.write:
        fill(PAGE, {"worst": report.as_markdown(table(found))})
    if args.json:
        keys = ("case", "way", "size", "blocked", "memory")
        args.json.write_text(
            json.dumps([{key: getattr(each, key) for key in keys} for each in found], indent=1)
        )
    return 0 if all(each.is_met for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
