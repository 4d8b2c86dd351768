"""A message of a server with more values than a limit is refused before it is parsed."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from toolgen.runtime.validation.strict_json import has_more_values
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client.client import ServerAddress
from toolgen.sources.mcp_client.connection import call_server, list_tools

from tests.http_server import McpHandler, mcp_response, serve

EMPTY = [[]] * 600_000  # 1.8 MB: a comma before and a bracket at each
TEXT = "[[,{" * 1_000_000
WAYS = ("stdio", "json", "events", "event of many lines", "event after a quote")
SAID = "more than 1,000,000 values in one message"


def answer(message: Any, place: str) -> Any:
    """Return the response to a request; the one in `place` has many values."""
    tool = {"name": "pay", "description": TEXT, "inputSchema": {"type": "object"}}
    content = [{"type": "text", "text": TEXT}]
    response = mcp_response(message, tools_list={"tools": [tool]}, tools_call={"content": content})
    if message["method"] == place:
        response["result"] |= {"_meta": {"a/b": EMPTY}}
    return response


class Server(McpHandler):
    """The server over HTTP."""

    way = place = ""

    def answer(self, message: Any) -> None:
        body = json.dumps(answer(message, self.place)).encode()
        kind = "application/json"
        if self.way.startswith("event"):
            if "lines" in self.way:  # each of which has few
                parts = body.split(b", ")
                lines = (b",".join(parts[at : at + 10_000]) for at in range(0, len(parts), 10_000))
                body = b",\ndata: ".join(lines)
            if "quote" in self.way:
                body = b',\nid: "\\\r\ndata: '.join(body.split(b", ", 1))
            body, kind = b"event: message\ndata: " + body + b"\n\n", "text/event-stream; charset=utf-7"
        try:
            self.reply(body, content_type=kind)
        except OSError:  # the client has read enough
            self.close_connection = True


def main(place: str) -> None:
    """Be the server over stdio."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            print(json.dumps(answer(message, place)), flush=True)


@contextmanager
def server(way: str, place: str) -> Iterator[ServerAddress]:
    if way == "stdio":
        code = f"from tests.mcp_client.test_many_values import main; main({place!r})"
        yield ServerAddress(
            shlex.join([sys.executable, "-c", code]), True, folder=str(Path(__file__).parents[2])
        )
        return
    with serve(type("Handler", (Server,), {"way": way, "place": place})) as url:
        yield ServerAddress(f"{url}/mcp", False)


@pytest.mark.parametrize("way", WAYS[:3])
def test_a_result_of_many_values_is_refused(way: str) -> None:
    with server(way, "tools/call") as address:
        found = call_server(address, "pay", {}, None)
    assert found.result is None
    assert SAID in found.message


@pytest.mark.parametrize("way", WAYS)
def test_a_list_of_many_values_is_refused(way: str) -> None:
    with server(way, "tools/list") as address, pytest.raises(SourceError, match=SAID):
        list_tools(address)


@pytest.mark.parametrize("way", WAYS[1:3])
def test_characters_of_texts_are_not_counted(way: str) -> None:
    with server(way, "") as address:
        assert list_tools(address)[0]["description"] == TEXT
        assert call_server(address, "pay", {}, None).result.content[0].text == TEXT


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (r'["[\"[", "\\"]', 2),
        ('id: "\n[[]]', 2),
        ('id: "\\\r[[]]', 2),
        ("", 0),
    ],
)
def test_values_of_json_are_counted(text: str, values: int) -> None:
    assert not has_more_values(text.encode(), values)
    assert values == 0 or has_more_values(text.encode(), values - 1)
