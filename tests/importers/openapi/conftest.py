"""A project, a document to import, and a server on loopback to call."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from toolgen.runtime import ToolResponse

from tests.cli.conftest import Cli, empty, own_cache
from tests.http_server import QuietHandler, serve

__all__ = ["empty", "own_cache"]

Answer = tuple[int, Mapping[str, str], bytes]


@dataclass(frozen=True, slots=True)
class Request:
    """A request that the server received."""

    method: str
    target: str  # path and query, unchanged
    headers: Mapping[str, str]  # names in lower case
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(slots=True)
class Api:
    """A server that records requests, and answers with the queued responses."""

    url: str
    requests: list[Request] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)  # the next responses; then 200 {}
    notes: str = ""  # of the import of its document

    def answer(self, status: int, value: Any = None, **headers: str) -> None:
        """Queue a JSON response."""
        body = b"" if value is None else json.dumps(value).encode()
        self.answers.append((status, {"Content-Type": "application/json", **headers}, body))

    @property
    def last(self) -> Request:
        return self.requests[-1]


@pytest.fixture
def api() -> Iterator[Api]:
    """A server for one test."""
    api = Api("")

    class Handler(QuietHandler):
        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = self.rfile.read(int(headers.get("content-length", 0)))
            api.requests.append(Request(self.command, self.path, headers, body))
            status, more, content = api.answers.pop(0) if api.answers else (200, {}, b"{}")
            self.send_response(status)
            for name, value in more.items():
                self.send_header(name, value)
            if "Content-Type" not in more:
                self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

    with serve(Handler) as api.url:
        yield api


Call = Callable[..., ToolResponse]


@pytest.fixture
def called(empty: Cli, api: Api, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Call]]:
    """Import a document with implementations, generate, and return a function that calls the tools."""
    package = "generated_api"
    (empty.root / "toolgen.toml").write_text(
        f'specs = "specs"\noutput = "{package}"\nimplementations = "impl_api"\n'
    )
    monkeypatch.syspath_prepend(str(empty.root))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def make(document: dict[str, Any], *words: str) -> Call:
        document = {"servers": [{"url": api.url}], **document}
        (empty.root / "api.json").write_text(json.dumps(document))
        for command in (
            ("import", "openapi", "api.json", "--env-prefix=APP", "--implement", *words),
            ("generate",),
        ):
            done = empty(*command)
            assert done.code == 0, done.err
            api.notes += done.err
        importlib.invalidate_caches()
        catalog = importlib.import_module(f"{package}.catalog")
        granted = {
            scope for tool in catalog.TOOLS.values() for scope in tool.get("auth", {}).get("scopes", ())
        }

        def call(name: str, arguments: Any = None, **options: Any) -> ToolResponse:
            async def run() -> ToolResponse:
                async with catalog.toolkit() as toolkit:
                    response: ToolResponse = await toolkit.call(
                        name, arguments or {}, **{"scopes": granted, **options}
                    )
                    return response

            return asyncio.run(run())

        return call

    yield make
    for name in [name for name in sys.modules if name.partition(".")[0] in (package, "impl_api")]:
        del sys.modules[name]


def document(paths: dict[str, Any], version: str = "3.1.0", **more: Any) -> dict[str, Any]:
    """An OpenAPI document."""
    return {"openapi": version, "info": {"title": "Shop API", "version": "1"}, "paths": paths, **more}
