"""What a running MCP server lists: one that a command starts, or at a URL, asked through the SDK in time."""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
import shutil
import signal
import tempfile
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from toolgen.importers.imported_tool import SourceError
from toolgen.importers.json_source import MAX_BYTES
from toolgen.project import UnableError
from toolgen.suggestions import quoted, shortened

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
        async with _over_http(source) as transport, Client(transport) as client:
            yield client
        return
    # its log is not ours, and may be endless
    with _ended(words) as (command, *rest), open(os.devnull, "w") as nowhere:
        parameters = StdioServerParameters(command=command, args=rest, env=dict(os.environ))
        async with Client(stdio_client(parameters, errlog=nowhere)) as client:
            yield client


@contextmanager
def _ended(words: list[str]) -> Iterator[list[str]]:
    """What to start for a command, so that nothing of its process group is left in the end.

    The SDK ends the group of a server that does not go by itself. One that does may leave what it started.
    """
    if shutil.which(words[0]) is None:
        raise SourceError(f"there is no command {quoted(words[0])}", "is it installed, and on the PATH?")
    if os.name != "posix":
        yield words
        return
    with tempfile.TemporaryDirectory(prefix="toolgen-") as scratch:
        leader = Path(scratch, "leader")
        try:
            yield ["/bin/sh", "-c", 'echo $$ >"$0" && exec "$@"', str(leader), *words]
        finally:
            with suppress(OSError, ValueError):  # it never began, or all of it has gone
                os.killpg(int(leader.read_text()), signal.SIGKILL)


@asynccontextmanager
async def _over_http(url: str) -> AsyncIterator[Any]:
    """A transport that reads no more, in all answers together, than an import may have."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    left = MAX_BYTES

    class Bounded(httpx2.AsyncByteStream):
        def __init__(self, stream: Any, unpack: Callable[[bytes, int], bytes] | None) -> None:
            self.stream, self.unpack = stream, unpack

        async def __aiter__(self) -> AsyncIterator[bytes]:
            nonlocal left
            async for chunk in self.stream:
                data = chunk if self.unpack is None else self.unpack(chunk, left + 1)
                left -= len(data)
                if left < 0:
                    raise SourceError(
                        f"{url}: answers of more than {MAX_BYTES // 1024 // 1024} MB",
                        "import a part of it",
                        "too-complex",
                    )
                yield data

        async def aclose(self) -> None:
            await self.stream.aclose()

    async def bind(response: httpx2.Response) -> None:
        # decoded here, where it is counted, and not in the client: a megabyte can stand for a thousand
        encoding = response.headers.pop("Content-Encoding", "identity").strip().lower()
        if encoding not in ("", "identity", "gzip", "deflate"):
            raise SourceError(f"{url}: an answer encoded as {quoted(encoding)}, which was not asked for")
        unpack = None if encoding in ("", "identity") else zlib.decompressobj(wbits=47).decompress
        response.stream = Bounded(response.stream, unpack)

    async with httpx2.AsyncClient(
        headers={"Accept-Encoding": "identity"},
        timeout=httpx2.Timeout(_SECONDS),
        event_hooks={"response": [bind]},
    ) as client:
        yield streamable_http_client(url, http_client=client, max_sse_event_size=MAX_BYTES)


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
    if isinstance(error, ValidationError):
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"])) or "the answer"
        return f"its answer is not as MCP has it: {shortened(where)}: {fault['msg']}"
    text = str(error).split("\n", 1)[0]
    return shortened(text) if text else type(error).__name__
