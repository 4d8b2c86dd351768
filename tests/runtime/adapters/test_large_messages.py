"""Messages with large data in base64: what is written is what the SDK's encoder writes."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from typing import Any

import mcp_types as types
import pytest
from toolgen.runtime.content.block import Block
from toolgen.serving.content_blocks import encode, encode_at_once
from toolgen.serving.transports.stdio import LARGE, encode_message

DATA = b64encode(bytes(range(256)) * (LARGE // 256)).decode()


def response(result: dict[str, Any]) -> types.JSONRPCResponse:
    return types.JSONRPCResponse(jsonrpc="2.0", id=1, result=result)


def joined(message: types.JSONRPCMessage) -> bytes:
    return b"".join(each if isinstance(each, bytes) else each.encode() for each in encode_message(message))


RESULTS = [
    {
        "content": [
            {"type": "text", "text": "größer"},
            {"type": "image", "data": DATA, "mimeType": "image/png"},
        ]
    },
    {
        "content": [{"type": "resource", "resource": {"uri": "a:b", "blob": DATA}}] * 2,
        "structuredContent": {"n": 1},
    },
    {"contents": [{"uri": "a:b", "blob": DATA}], "ttlMs": 5},
    {"content": [{"type": "image", "data": "small"}]},
]


@pytest.mark.parametrize("result", RESULTS)
def test_a_message_is_encoded_as_by_the_sdk(result: dict[str, Any]) -> None:
    message = response(result)
    assert joined(message) == message.model_dump_json(by_alias=True, exclude_unset=True).encode()


def test_large_data_is_a_piece_of_its_own_and_not_copied() -> None:
    pieces = encode_message(response(RESULTS[0]))
    assert sum(each is DATA for each in pieces) == 1
    assert all(len(each) < 200 for each in pieces if each is not DATA)


@pytest.mark.parametrize("odd", ['"', "\\", "\n", "\r", "\t", "ü"])
def test_data_that_is_not_plain_base64_is_escaped(odd: str) -> None:
    message = response({"content": [{"type": "image", "data": DATA + odd, "mimeType": "image/png"}]})
    assert json.loads(joined(message))["result"]["content"][0]["data"] == DATA + odd


def test_other_messages_are_encoded_whole() -> None:
    note = types.JSONRPCNotification(jsonrpc="2.0", method="notifications/x", params={"data": DATA})
    assert joined(note) == note.model_dump_json(by_alias=True, exclude_unset=True).encode()


@pytest.mark.parametrize("size", [1, 768 * 1024 - 1, 768 * 1024, 768 * 1024 + 1, 2_000_000])
def test_data_is_encoded_in_chunks_while_others_run(size: int) -> None:
    block = Block("file", bytes(size), media_type="application/pdf")
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def both() -> str:
        counting = asyncio.create_task(count())
        encoded = await encode(block)
        counting.cancel()
        return encoded.base64

    assert asyncio.run(both()) == b64encode(block.data).decode() == encode_at_once(block).base64
    assert turns >= (size - 1) // (768 * 1024)
