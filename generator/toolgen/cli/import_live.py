"""What a running MCP server lists: one that a command starts, or at a URL, asked through the SDK in time."""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from toolgen.disk import UnableError
from toolgen.importers.tool import SourceError
from toolgen.words import shortened

_SECONDS = 60.0  # for all of it: a command may have to be installed first
_MOST_PAGES = 1000
_MOST_TOOLS = 100_000


def list_tools(source: str, is_command: bool) -> list[dict[str, Any]]:
    """Every tool of the server, page after page, key for key. Raises `SourceError` with what it did."""
    try:
        import mcp  # noqa: F401
    except ModuleNotFoundError as error:
        raise UnableError(
            "not-installed", "asking a server needs the MCP SDK", "pip install 'toolgen[mcp]'"
        ) from error
    words = _words(source) if is_command else []
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # it logs what a server sends that is no JSON
    try:
        return asyncio.run(_ask(source, words))
    except TimeoutError:
        raise SourceError(
            f"{source}: no list of tools within {_SECONDS:.0f} seconds", "does it start by itself?"
        ) from None
    except SourceError:
        raise
    except Exception as error:  # whatever the other side makes the SDK raise, it is that side that failed
        raise SourceError(f"{source}: {_why(error)}", "does it start, and speak MCP?") from error


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SourceError(f"not a command line: {error}") from None
    if not words:
        raise SourceError("the command is empty", "give a command that starts a server over stdio")
    return words


async def _ask(source: str, words: list[str]) -> list[dict[str, Any]]:
    async with asyncio.timeout(_SECONDS):
        async with _client(source, words) as client:
            return await _pages(client, source)


@asynccontextmanager
async def _client(source: str, words: list[str]) -> AsyncIterator[Any]:
    from mcp import Client, StdioServerParameters, stdio_client

    if not words:
        async with Client(source) as client:
            yield client
        return
    parameters = StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ))
    with tempfile.TemporaryFile("w+") as nowhere:  # its log is not ours, and may be endless
        async with Client(stdio_client(parameters, errlog=nowhere)) as client:
            yield client


async def _pages(client: Any, source: str) -> list[dict[str, Any]]:
    import mcp_types as types

    class Page(types.PaginatedResult):
        """Key for key: the SDK's own drops keys that it does not know."""

        tools: list[dict[str, Any]]

    tools: list[dict[str, Any]] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        request = types.ListToolsRequest(params=types.PaginatedRequestParams(cursor=cursor))
        page = await client.session.send_request(request, Page)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            return tools
        if len(tools) > _MOST_TOOLS:
            break
    raise SourceError(f"{source}: its list of tools does not end", f"{len(tools):,} tools were read")


def _why(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, FileNotFoundError):
        return "there is no such command"
    text = str(error).split("\n", 1)[0]
    return shortened(text) if text else type(error).__name__
