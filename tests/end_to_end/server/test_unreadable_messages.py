"""A message that is not readable, or odd, is answered with the id of its request, over each transport."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.end_to_end.project import Project
from tests.end_to_end.raw_http import MODERN, connect
from tests.end_to_end.slow_tools import line_of, stdio

META = (
    '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
    '"io.modelcontextprotocol/clientCapabilities":{}}'
)
"""What each request since 2026-07-28 has, and none before."""


def message(
    arguments: str = "{}", *, first: str = '"id":7,', last: str = "", method: str = "tools/call"
) -> str:
    params = f'{{"name":"echo","arguments":{arguments},{META}}}'
    return f'{{"jsonrpc":"2.0",{first}"method":"{method}","params":{params}{last}}}'


HALF = r'{"text":"\ud83d"}'  # of an emoji
PARSE, REQUEST, PARAMS = -32700, -32600, -32602
TOOL = "invalid_request"  # of the tool, for the model to correct
READ_BY_314 = {"modern": (7, TOOL)} if sys.version_info >= (3, 14) else {}

Answered = tuple[Any, Any]
CASES: dict[str, tuple[str | bytes, Answered, dict[str, Answered]]] = {
    # name: the message; the answer's id, and its error; what differs by transport
    "half an emoji": (message(HALF), (7, PARSE), {"modern": (7, TOOL)}),
    "half an emoji, id last": (
        message(HALF, first="", last=',"id":"a"'),
        ("a", PARSE),
        {"modern": ("a", TOOL)},
    ),
    "escaped key": (message(HALF, first='"\\u0069d":7,'), (7, PARSE), {"modern": (7, TOOL)}),
    "300 levels": (message(f'{{"text":{"[" * 300}{"]" * 300}}}'), (7, PARSE), {"modern": (7, TOOL)}),
    # Python 3.14 can read it
    "30,000 levels": (message(f'{{"text":{"[" * 30_000}{"]" * 30_000}}}'), (7, PARSE), READ_BY_314),
    "5,000 digits": (message(f'{{"text":{"9" * 5_000}}}'), (7, PARSE), {}),
    "no UTF-8": (message('{"text":"x"}').encode().replace(b"x", b"\xff"), (7, PARSE), {}),
    "method of half an emoji": (message(method="\\ud83d"), (7, PARSE), {"modern": (7, -32020)}),
    # the id is in doubt
    "two ids": (message(f'{{"text":{"9" * 5_000}}}', last=',"id":8'), (None, PARSE), {}),
    "an id of half an emoji": (message(first='"id":"\\ud83d",'), (None, PARSE), {"modern": ("\ud83d", TOOL)}),
    "an id inside": (message(f'{{"id":8,"text":{"9" * 5_000}}}', first=""), (None, PARSE), {}),
    "an id in text": (message(f'{{"text":"\\",\\"id\\":8","n":{"9" * 5_000}}}', first=""), (None, PARSE), {}),
    "the beginning": (message()[:-9], (None, PARSE), {}),
    "brackets that do not match": (message("[}"), (7, PARSE), {}),
    "a response": (f'{{"jsonrpc":"2.0","id":7,"result":{{"a":{"9" * 5_000}}}}}', (None, PARSE), {}),
    # JSON, but no request
    "an id that is not valid": (message(first='"id":[7],'), (None, REQUEST), {}),
    "no version": (
        message()[:1] + message()[17:],
        (7, REQUEST),
        {"legacy": (7, PARAMS), "stateless": (7, PARAMS)},
    ),
    "params of another type": (
        '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}',
        (7, REQUEST),
        {"legacy": (7, PARAMS), "stateless": (7, PARAMS)},
    ),
    "several requests": (
        f"[{message()}]",
        (None, REQUEST),
        {"legacy": (None, PARAMS), "stateless": (None, PARAMS)},
    ),
    "many objects": (
        message(f'{{"text":[{"{},".join([""] * 140_000)}{{}}]}}'),
        (7, REQUEST),
        # over HTTP, the answer belongs to its request without an id
        dict.fromkeys(("modern", "legacy", "stateless"), (None, REQUEST)),
    ),
    # requests that a tool answers
    "NaN": (message('{"text":NaN}'), (7, TOOL), {}),
    "arguments in a string": (message(json.dumps('{"text":"x"}')), (7, None), {}),
    "no arguments in a string": (message('"{}"'), (7, TOOL), {}),
    "a text as arguments": (message('"x"'), (7, TOOL), {}),
    "an empty text as arguments": (message('""'), (7, TOOL), {}),
    "an array as arguments": (message("[]"), (7, TOOL), {}),
    "a number as arguments": (message("0"), (7, TOOL), {}),
    "null as arguments": (message("null"), (7, TOOL), {}),
}


@asynccontextmanager
async def asking(project: Project, transport: str) -> AsyncIterator[Callable[[bytes], Awaitable[Any]]]:
    """Yield a function that sends a message as it is, and returns the answer."""
    if transport == "stdio":
        async with stdio(project) as (process, write):

            async def ask(body: bytes) -> Any:
                write(body)
                return await line_of(process)

            yield ask
            return
    flags, headers = ["--stateless"] if transport == "stateless" else [], {}
    if transport == "modern":
        headers = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "echo"}
    async with project.server(*flags) as server:

        async def post(body: bytes) -> Any:
            # another session each time: an id is taken until the server has noticed that its answer was sent
            async with connect(server.url, session=transport == "legacy") as connection:
                await connection.request("POST", body, **headers)
                return (await connection.receive()).message

        yield post


def answered(answer: Any) -> Answered:
    """Return the id of an answer, and the code of its error."""
    if "error" in answer:
        return answer["id"], answer["error"]["code"]
    result = answer["result"]
    text = result["content"][0]["text"]
    return answer["id"], text.split("[")[1].split("]")[0] if result["isError"] else None


@pytest.mark.parametrize("transport", ["stdio", "modern", "legacy", "stateless"])
async def test_each_request_is_answered_with_its_id(serving: Project, transport: str) -> None:
    expected = {name: other.get(transport, usual) for name, (_, usual, other) in CASES.items()}
    async with asking(serving, transport) as ask:
        found = {}
        for name, (sent, *_) in CASES.items():
            body = sent if isinstance(sent, bytes) else sent.encode()
            if transport != "modern":
                body = body.replace(f",{META}".encode(), b"")
            found[name] = answered(await ask(body))
    assert found == expected
