"""Read lists of a server although some of their definitions are not valid: the SDK refuses the whole list.

The odd definitions are put beside the list before the SDK sees it, and back where the list is read.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from secrets import token_hex
from typing import Any, Final

from mcp_types import JSONRPCResponse
from mcp_types.methods import validate_server_result
from mcp_types.version import LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from toolgen.base.suggestions import quoted
from toolgen.sources.definitions import OF_A_SERVER, key_of

_ASIDE: Final = f"toolgen/{token_hex(16)}"  # key of `_meta`, which no server knows
_METHODS: Final[Mapping[str, str]] = {
    "tools": "tools/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
    "prompts": "prompts/list",
}


@asynccontextmanager
async def with_odd_aside(transport: Any, note: Callable[[str], None]) -> AsyncIterator[tuple[Any, Any]]:
    """Yield the streams of a transport. `note` gets a sentence on each list with odd definitions."""
    async with transport as (messages, to_server):
        yield _Messages(messages, note), to_server


def put_aside(meta: Mapping[str, Any] | None) -> Sequence[tuple[int, Any]]:
    """Return the odd definitions of a list with their indices; `meta` is the `_meta` of its result."""
    found: Sequence[tuple[int, Any]] = (meta or {}).get(_ASIDE, ())
    return found


class _Messages:
    """The messages of a transport, with odd definitions put aside."""

    def __init__(self, stream: Any, note: Callable[[str], None]) -> None:
        self._stream, self._note = stream, note

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def __aenter__(self) -> _Messages:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> Any:
        return await self._stream.__aexit__(*raised)

    def __aiter__(self) -> _Messages:
        return self

    async def __anext__(self) -> Any:
        received = await self._stream.__anext__()
        answer = getattr(received, "message", None)
        if isinstance(answer, JSONRPCResponse):
            for key in _METHODS.keys() & answer.result.keys():
                self._put_aside(answer.result, key)
        return received

    def _put_aside(self, result: dict[str, Any], key: str) -> None:
        listed = result[key]
        if not isinstance(listed, list) or _is_valid(result, key, listed):
            return
        odd = [(index, each) for index, each in enumerate(listed) if not _is_valid(result, key, [each])]
        names = ", ".join(quoted(key_of(each, OF_A_SERVER, (index,)), 40) for index, each in odd)
        self._note(f"{key} that break MCP: {names}")
        result[key] = [each for index, each in enumerate(listed) if index not in dict(odd)]
        meta = result.get("_meta")
        result["_meta"] = {**(meta if isinstance(meta, dict) else {}), _ASIDE: odd}


def _is_valid(result: dict[str, Any], key: str, listed: list[Any]) -> bool:
    """True if the SDK accepts a result with this list."""
    version = MODERN_PROTOCOL_VERSIONS[-1] if "resultType" in result else LATEST_HANDSHAKE_VERSION
    try:
        validate_server_result(_METHODS[key], version, {**result, key: listed})
    except ValidationError:
        return False
    return True
