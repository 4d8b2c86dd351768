"""Imports from a URL follow redirects within the host only, and have a deadline."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.end_to_end.project import Project
from tests.http_server import QuietHandler, serve

DOCUMENT = json.dumps(
    {
        "openapi": "3.1.0",
        "info": {"title": "Pets", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": {"/pets": {"get": {"operationId": "list_pets", "responses": {"200": {"description": "x"}}}}},
    }
)


@contextmanager
def server(locations: dict[str, str]) -> Iterator[str]:
    """Run a server that redirects the paths in `locations` and has the document at all others."""

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            location = locations.get(self.path)
            if location:
                self.reply(b"", 302, location=location)
            else:
                self.reply(DOCUMENT.encode())

    with serve(Handler) as url:
        yield url


def test_a_redirect_within_the_host_is_followed(project: Project) -> None:
    with server({"/a": "/b", "/b": "c.json"}) as url:
        done = project.toolgen("import", "openapi", f"{url}/a", NO_PROXY="127.0.0.1")
    assert done.returncode == 0, done.stderr
    assert (project.root / "specs/list_pets.yaml").exists()


def test_a_redirect_to_another_host_is_refused_and_named(project: Project) -> None:
    with (
        server({}) as other,
        server({"/a": f"{other}/api.json", "/b": "http://user:word@localhost:1/x"}) as url,
    ):
        done = project.toolgen("import", "openapi", f"{url}/a", NO_PROXY="127.0.0.1")
        again = project.toolgen("import", "openapi", f"{url}/b", NO_PROXY="127.0.0.1")
    assert done.returncode == 2
    assert f"redirects to another origin: {other}/api.json" in done.stderr
    assert again.returncode == 2
    assert "redirects to another origin: http://localhost:1/x" in again.stderr
    assert not (project.root / "specs/list_pets.yaml").exists()


@pytest.mark.parametrize(
    "location", ["/a", "file:///etc/passwd", "//evil.example/x", "http://127.0.0.1:bad/", "gopher:x"]
)
def test_a_redirect_that_leads_nowhere_is_refused(project: Project, location: str) -> None:
    with server({"/a": location}) as url:
        done = project.toolgen("import", "openapi", f"{url}/a", NO_PROXY="127.0.0.1")
    assert done.returncode == 2, done.stderr
    assert "error[bad-source]" in done.stderr


def test_slow_headers_are_cut_off(project: Project) -> None:
    import socket
    import time

    with socket.create_server(("127.0.0.1", 0)) as listener:
        stop = threading.Event()

        def drip() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while not stop.wait(0.05):
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/api.json"
        code = (
            "import sys, toolgen.sources.mcp_client.limits as c; c.TIME_LIMIT = 1.0; from toolgen.cli import main; "
            f"sys.exit(main(['import', 'openapi', {url!r}]))"
        )
        start = time.monotonic()
        done = project.python("-c", code, NO_PROXY="127.0.0.1")
        stop.set()
        thread.join(10)
    assert done.returncode == 2, done.stderr
    assert "error[bad-source]" in done.stderr
    assert time.monotonic() - start < 60
