"""List the tools of a running MCP server, started by a command or at a URL, within time and size limits."""

from __future__ import annotations

import asyncio
import logging
import os
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from toolgen.cli.importing import common
from toolgen.importers.imported_tool import SourceError
from toolgen.project import UnableError
from toolgen.suggestions import quoted, shortened

_MAX_PAGES = 1000
_MAX_TOOLS = 100_000


def list_tools(source: str, *, is_command: bool) -> list[dict[str, Any]]:
    """Return every tool of the server with all its keys.

    Raises:
        SourceError: the server failed, took too long or answered too much; the message says what it did.
        UnableError: the MCP SDK is not installed.
    """
    try:
        import mcp  # noqa: F401
    except ModuleNotFoundError as error:
        raise UnableError(
            "not-installed", "importing from a server needs the MCP SDK", "pip install 'toolgen[mcp]'"
        ) from error
    command = _split_command(source) if is_command else []
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # it logs everything that is not JSON
    try:
        return asyncio.run(_list_tools(source, command))
    except TimeoutError:
        raise SourceError(
            f"{source}: no list of tools within {common.TIME_LIMIT:.0f} seconds",
            "does the server start when you run it yourself?",
        ) from None
    except SourceError:
        raise
    except Exception as error:  # whatever a server makes the SDK raise, the server failed
        cause = _first_cause(error)
        if isinstance(cause, SourceError):
            raise cause from error
        message = f"{source}: {_describe(cause)}"
        raise SourceError(message, "does the server start, and speak MCP?") from error


@asynccontextmanager
async def connect(source: str, *, is_command: bool) -> AsyncIterator[Any]:
    """Yield the SDK's client of a server: at a URL, or started by a command, which is killed at the end.

    The server's log goes to stderr. Raises SourceError for a command that does not exist, and what the SDK
    raises.
    """
    from mcp import Client, StdioServerParameters, stdio_client

    if not is_command:
        async with _http_transport(source) as transport, Client(transport) as client:
            yield client
        return
    with _process_group(_split_command(source)) as group:
        program, *arguments = group.command
        parameters = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
        async with Client(stdio_client(parameters, errlog=sys.__stderr__ or sys.stderr)) as client:
            yield client


def describe_failure(error: BaseException) -> str:
    """Return in one line what a server did that made the SDK raise `error`."""
    return _describe(_first_cause(error))


def _split_command(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SourceError(f"not a command line: {error}") from None
    if not words:
        raise SourceError("the command is empty", "give a command that starts a server over stdio")
    return words


async def _list_tools(source: str, command: list[str]) -> list[dict[str, Any]]:
    if not command:
        async with asyncio.timeout(common.TIME_LIMIT), _http_transport(source) as transport:
            return await _ask(transport, source)
    with _process_group(command) as group:
        asking = asyncio.create_task(_ask_process(group.command, source))
        try:
            await asyncio.wait({asking}, timeout=common.TIME_LIMIT)
            if asking.done():
                return asking.result()
        finally:
            if not asking.done():  # too late or interrupted: asyncio and the SDK wait for pipes to be closed
                group.kill()
                asking.cancel()
                await asyncio.wait({asking})
    raise TimeoutError


async def _ask_process(command: list[str], source: str) -> list[dict[str, Any]]:
    from mcp import StdioServerParameters, stdio_client

    program, *arguments = command
    parameters = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
    with open(os.devnull, "w") as devnull:  # the server's log may be endless, and nobody reads it here
        return await _ask(stdio_client(parameters, errlog=devnull), source)


async def _ask(transport: Any, source: str) -> list[dict[str, Any]]:
    from mcp import Client

    async with Client(transport) as client:
        return await _read_pages(client, source)


@dataclass(frozen=True, slots=True)
class _ProcessGroup:
    """A command, and the file that will hold the process group in which it runs."""

    command: list[str]
    leader: Path | None  # None: the platform has no process groups

    def kill(self) -> None:
        """Kill all of its processes; nothing happens if it never started or all have exited."""
        if self.leader is not None:
            with suppress(OSError, ValueError):
                os.killpg(int(self.leader.read_text()), signal.SIGKILL)


@contextmanager
def _process_group(command: list[str]) -> Iterator[_ProcessGroup]:
    """Yield what starts `command` in a process group of its own, and kill that group at the end.

    The SDK kills the group of a server that does not exit by itself, but not what an exiting server leaves.
    """
    if shutil.which(command[0]) is None:
        raise SourceError(f"there is no command {quoted(command[0])}", "is it installed, and on the PATH?")
    if os.name != "posix":
        yield _ProcessGroup(command, None)
        return
    with tempfile.TemporaryDirectory(prefix="toolgen-") as scratch:
        leader = Path(scratch, "leader")
        started = ["/bin/sh", "-c", 'echo $$ >"$0" && exec "$@"', str(leader), *command]
        group = _ProcessGroup(started, leader)
        try:
            yield group
        finally:
            group.kill()


@asynccontextmanager
async def _http_transport(url: str) -> AsyncIterator[Any]:
    """Yield a transport whose responses have no more bytes together than an import may have."""
    from mcp.client.streamable_http import streamable_http_client

    from toolgen.cli.importing import bounded_http

    async with bounded_http.bounded_client(url) as client:
        yield streamable_http_client(url, http_client=client, max_sse_event_size=bounded_http.MAX_BYTES)


async def _read_pages(client: Any, source: str) -> list[dict[str, Any]]:
    import mcp_types as types

    class ToolsPage(types.PaginatedResult):
        """A result that keeps all keys: the SDK's own type drops those that it does not know."""

        tools: list[dict[str, Any]]

    tools: list[dict[str, Any]] = []
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        request = types.ListToolsRequest(params=types.PaginatedRequestParams(cursor=cursor))
        page = await client.session.send_request(request, ToolsPage)
        tools += page.tools
        cursor = page.next_cursor
        if cursor is None:
            return tools
        if len(tools) > _MAX_TOOLS:
            break
    raise SourceError(f"{source}: its list of tools does not end", f"{len(tools):,} tools were read")


def _first_cause(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _describe(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"])) or "the answer"
        return f"its answer does not follow MCP: {shortened(where)}: {fault['msg']}"
    text = str(error).split("\n", 1)[0]
    return shortened(text) if text else type(error).__name__
