"""JSON-RPC messages with large data in base64, encoded without copies of it.

A JSON encoder would hold the interpreter for as long as it copies and escapes the data. Base64 needs no
escapes: the message is encoded with a placeholder for each, and written in pieces.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import mcp_types as types
from pydantic_core import PydanticSerializationError, to_json

from toolgen.runtime.text import well_formed_value

Piece: TypeAlias = bytes | str
"""A part of an encoded message; a str is ASCII."""

LARGE: Final = 256 * 1024  # characters, from which data is written as a piece of its own
_UNSAFE: Final = ('"', "\\", "\n", "\r", "\t")
_TOKEN: Final = secrets.token_hex(16)  # that no text of a tool contains
_PLACEHOLDER: Final = re.compile(rf"{_TOKEN}-(\d+)".encode())


def encode_message(message: types.JSONRPCMessage) -> list[Piece]:
    """Return a message as JSON, in pieces."""
    if isinstance(message, types.JSONRPCResponse):
        found: list[str] = []
        result = _without_data(message.result, found)
        if found:
            return list(_pieces(message.model_copy(update={"result": result}), found))
    try:
        return [message.model_dump_json(by_alias=True, exclude_unset=True).encode()]
    except PydanticSerializationError:  # a text that is not valid Unicode must not end the connection
        data = message.model_dump(by_alias=True, exclude_unset=True, mode="python")
        return [to_json(well_formed_value(data))]


def _pieces(message: types.JSONRPCMessage, data: list[str]) -> Iterator[Piece]:
    parts = _PLACEHOLDER.split(message.model_dump_json(by_alias=True, exclude_unset=True).encode())
    yield parts[0]
    for number, rest in zip(parts[1::2], parts[2::2], strict=True):
        yield data[int(number)]
        yield rest


def _without_data(value: Any, found: list[str]) -> Any:
    """Return a copy of a result with placeholders for the data of its blocks, which are added to `found`."""
    if not isinstance(value, dict):
        return value
    copy = dict(value)
    for key in ("content", "contents"):
        if isinstance(copy.get(key), list):
            copy[key] = [_without_data(each, found) for each in copy[key]]
    if isinstance(copy.get("resource"), dict):
        copy["resource"] = _without_data(copy["resource"], found)
    for key in ("data", "blob"):
        if _is_large(copy.get(key)):
            found.append(copy[key])
            copy[key] = f"{_TOKEN}-{len(found) - 1}"
    return copy


def _is_large(value: Any) -> bool:
    """True for a large text that JSON has as it is."""
    return (
        isinstance(value, str)
        and len(value) >= LARGE
        and value.isascii()
        and not any(each in value for each in _UNSAFE)
    )
