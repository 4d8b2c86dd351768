"""A call whose server is lost: `outcome_unknown` if it had been sent, a failure to connect if not."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from toolgen.project import UnableError
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client.client import ServerAddress
from toolgen.sources.mcp_client.connection import ServerConnection, call_server, list_tools
from toolgen.sources.mcp_client.outcomes import RequestFailedError

from tests.http_server import McpHandler, QuietHandler, serve


class _Server(McpHandler):
    """A server that answers calls with an HTTP status, or not at all for 0."""

    status: int

    def answer(self, message: Any) -> None:
        if message["method"] != "tools/call":
            super().answer(message)
            return
        if self.status:
            self.reply(b"", self.status)
        self.close_connection = True


def answering(status: int) -> type[BaseHTTPRequestHandler]:
    return type("Server", (_Server,), {"status": status})


@pytest.mark.parametrize("status", [0, 502, 504], ids=["dropped", "502", "504"])
def test_the_outcome_of_a_call_is_unknown_if_its_connection_ends(status: int) -> None:
    with serve(answering(status)) as url:
        answer = call_server(ServerAddress.parse(f"{url}/mcp"), "pay", {}, None)

    assert answer.result is None
    assert answer.refusal == "outcome_unknown"
    assert "may have been done" in answer.message


def test_a_server_that_refuses_has_done_nothing() -> None:
    with serve(answering(503)) as url:
        answer = call_server(ServerAddress.parse(f"{url}/mcp"), "pay", {}, None)

    assert (answer.refusal, answer.message) == ("unreachable", "HTTP 503")


def test_without_a_connection_nothing_was_sent() -> None:
    with pytest.raises(UnableError):
        call_server(ServerAddress.parse("http://127.0.0.1:9/mcp"), "pay", {}, None)


async def test_a_stream_that_ends_at_once_is_opened_again_after_a_pause() -> None:
    opened = []

    class Server(_Server):
        def answer(self, message: Any) -> None:
            if message["method"] == "tools/call":
                self.do_GET()
            else:
                super().answer(message)

        def do_GET(self) -> None:
            opened.append(self.path)
            self.reply(b"id: 1\nretry: 0\ndata:\n\n", content_type="text/event-stream")

    with serve(Server) as url:
        connection = ServerConnection(ServerAddress.parse(f"{url}/mcp"))
        await connection.open()
        with pytest.raises(RequestFailedError, match="no answer within 2 seconds"):
            await connection.request(lambda client: client.call_tool("pay", {}), 2)
        await connection.close()
    assert 1 < len(opened) < 12


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (401, "--header Authorization=VARIABLE"),
        (403, "--header Authorization=VARIABLE"),
        (405, "speak MCP"),
        (429, "later"),
    ],
)
def test_commands_say_the_status_of_a_refusal_and_what_to_do(status: int, hint: str) -> None:
    class Refusing(QuietHandler):
        def do_POST(self) -> None:
            self.reply(b"", status)

    with serve(Refusing) as url, pytest.raises(SourceError, match=f": HTTP {status}$") as raised:
        list_tools(ServerAddress.parse(f"{url}/mcp"))
    assert hint in (raised.value.hint or "")
