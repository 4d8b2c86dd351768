"""MCP servers, started by a command or at a URL: their addresses, transports with limits, what they list."""

from __future__ import annotations

import logging
import os
import re
import shlex
import shutil
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import ConfigDict, ValidationError
from pydantic.alias_generators import to_camel, to_pascal

from toolgen.base.suggestions import quoted, shortened
from toolgen.project import UnableError
from toolgen.runtime.logs.logger import LOGGER
from toolgen.serving.uri_templates import SKILLS
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client.limits import ByteBudget
from toolgen.sources.mcp_client.listing import Listing, announced, named
from toolgen.sources.mcp_client.outcomes import Report, ignore
from toolgen.sources.mcp_client.source_argument import ServerSource, read_source

if TYPE_CHECKING:
    from toolgen.sources.mcp_client.bounded_stdio import ServerProcess  # not on Windows

_MAX_PAGES = 1000  # of one list
_MAX_TOOLS = 100_000  # in it: ten times what an import takes


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where an MCP server is: at a URL, or behind a command."""

    source: str
    is_command: bool
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  # of every HTTP request
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)  # of the command
    inherits: bool = True  # the command gets our environment, too; if not, PATH, HOME and the like
    folder: str | None = None  # in which the command starts; None: ours
    auth: Any = field(default=None, repr=False)  # httpx2.Auth, of every HTTP request

    @staticmethod
    def parse(source: str, header_options: Sequence[str] = ()) -> ServerAddress:
        """Return the address of COMMAND|URL on a command line, with its --header options.

        Raises UnableError for options that cannot be used. Messages never show the value of a header.
        """
        found = read_source(source)
        if isinstance(found, Path):
            message = f"{source} is a file or folder that cannot be run, and not an MCP server"
            raise UnableError("usage", message, "give a URL, or a command that starts the server")
        return ServerAddress.of(found, header_options)

    @staticmethod
    def of(found: ServerSource, header_options: Sequence[str] = ()) -> ServerAddress:
        """Return the address of a server, with the --header options. Raises as `parse` does."""
        if found.is_command and header_options:
            raise UnableError(
                "usage", "--header is for a server at a URL", "commands inherit the environment"
            )
        return ServerAddress(found.text, found.is_command, dict(map(_header, header_options)))

    def refuse_password(self, file: str) -> None:
        """Raise UnableError if the URL has a password, which would be written to a file."""
        if not self.is_command and "@" in urlsplit(self.source).netloc:
            message = f"{self.shown} has a user or a password, which would be written to {file}"
            raise UnableError("usage", message, "give it by --header Authorization=VARIABLE")

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return what must not be printed, should the server send it back."""
        values = self.headers.values()
        return tuple(part for value in values for part in (value, value.rpartition(" ")[2]) if part)

    @property
    def shown(self) -> str:
        """Return it for messages, without a password."""
        from toolgen.sources.mcp_client.bounded_http import display_url  # of the extra `http`

        return self.source if self.is_command else display_url(self.source)


def _header(option: str) -> tuple[str, str]:
    """Return name and value of --header NAME=VARIABLE."""
    name, _, variable = option.partition("=")
    value = os.environ.get(variable)
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or not variable:
        message = f"--header {quoted(option)} is not NAME=VARIABLE"
        raise UnableError("usage", message, "for example --header Authorization=SHOP_AUTHORIZATION")
    if value is None:
        message = f"there is no environment variable {quoted(variable)} for the header {name}"
        raise UnableError("usage", message, "the variable holds the value, such as 'Bearer …'")
    # A line end would begin another header; see RFC 9110, section 5.5.
    if not value.isprintable() or not value.isascii():
        raise UnableError(
            "usage", f"the environment variable {quoted(variable)} cannot be the value of a header"
        )
    return name, value


def require_sdk(what: str) -> None:
    """Raise UnableError if the MCP SDK is not installed, which `what` needs."""
    try:
        import mcp  # noqa: F401  (of the extra `mcp`)
    except ModuleNotFoundError as error:
        raise UnableError(
            "not-installed", f"{what} needs the MCP SDK", "pip install 'toolgen[mcp]'"
        ) from error
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # it logs everything that is not JSON


@dataclass(frozen=True, slots=True)
class OpenTransport:
    """A transport for a client of the SDK, and the process behind it."""

    transport: Any
    budget: ByteBudget
    process: ServerProcess | None = None  # None: of a URL, and on platforms without process groups


@asynccontextmanager
async def open_transport(
    server: ServerAddress,
    budget: ByteBudget,
    *,
    log: Callable[[str], None] | None = None,
    is_patient: bool = False,
    report: Report = ignore,
) -> AsyncIterator[OpenTransport]:
    """Yield a transport whose messages have no more bytes together than the budget.

    With `is_patient`, any time may pass between two parts of an HTTP response.
    `log` gets the lines of a command's stderr, except on Windows; their end is remembered. `report` gets what
    is not a message of MCP, and answers to requests that do not wait.
    """
    if not server.is_command:
        from mcp.client.streamable_http import streamable_http_client  # the SDK is loaded when it is used

        from toolgen.sources.mcp_client import bounded_http
        from toolgen.sources.mcp_client.answers import AnsweringClient

        async with bounded_http.bounded_client(
            server.source,
            budget,
            headers=server.headers,
            is_patient=is_patient,
            auth=server.auth,
            kind=partial(AnsweringClient, report),
        ) as http:
            transport = streamable_http_client(
                server.source, http_client=http, max_sse_event_size=bounded_http.MAX_BYTES
            )
            yield OpenTransport(transport, budget)
        return
    command = _split_command(server.source)
    if os.name == "posix":
        from toolgen.sources.mcp_client.bounded_stdio import ServerProcess  # not on Windows

        process = ServerProcess(
            command,
            budget,
            environment=_environment(server),
            folder=server.folder,
            log=log,
            report=report,
        )
        yield OpenTransport(process.streams(), budget, process)
        return
    from mcp import StdioServerParameters, stdio_client  # the SDK is loaded when it is used

    program, *arguments = command
    parameters = StdioServerParameters(
        command=program, args=arguments, env=_environment(server), cwd=server.folder
    )
    with open(os.devnull, "w") as devnull:
        yield OpenTransport(stdio_client(parameters, errlog=devnull), budget)


def _environment(server: ServerAddress) -> dict[str, str]:
    """Return the environment of a command."""
    if server.inherits:
        return {**os.environ, **server.environment}
    from mcp.client.stdio import get_default_environment  # the SDK is loaded when it is used

    return {**get_default_environment(), **server.environment}


def _split_command(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SourceError(f"not a command line: {error}") from None
    if not words:
        raise SourceError("the command is empty", "give a command that starts a server over stdio")
    if shutil.which(words[0]) is None:
        raise SourceError(f"there is no command {quoted(words[0])}", "is it installed, and on the PATH?")
    return words


async def read_tools(client: Any, source: str) -> list[dict[str, Any]]:
    """Return every tool with a name that a server lists, with all its keys, though it may not be valid.

    Raises SourceError, and what the SDK raises.
    """
    return named(await read_list(client, source, "tools"), "tools")


async def read_features(client: Any, source: str) -> dict[str, list[dict[str, Any]]]:
    """Return the resources, templates, prompts and skills that a server lists. Raises as `read_tools`."""
    can = client.server_capabilities
    keys = [
        *(("resources", "resource_templates") if can.resources else ()),
        *(["prompts"] if can.prompts else ()),
        *(["skills"] if SKILLS in (can.extensions or {}) else ()),
    ]
    from mcp import MCPError  # the SDK is loaded when it is used
    from mcp_types import METHOD_NOT_FOUND

    lists: dict[str, list[dict[str, Any]]] = {}
    for key in keys:
        try:
            lists[key] = named(await read_list(client, source, key), key)
        except MCPError as error:
            # the capability `resources` does not say whether there are templates
            if key != "resource_templates" or error.code != METHOD_NOT_FOUND:
                raise
    return lists


async def read_listing(client: Any, source: str) -> Listing:
    """Return all that a server lists. Raises SourceError, and what the SDK raises."""
    info, can = client.server_info, client.server_capabilities
    whole = await read_list(client, source, "tools") if can.tools else []
    lists: dict[str, Any] = {"tools": named(whole, "tools"), **await read_features(client, source)}
    texts = (info.name, info.version or "", client.instructions or "")
    capabilities = announced(can.model_dump(mode="json", by_alias=True, exclude_none=True))
    about = info.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"name", "version"})
    return Listing(*texts, **lists, capabilities=capabilities, about=about, whole=whole)


async def read_list(client: Any, source: str, key: str) -> list[Any]:
    """Return all that is in a list of a server, one of `LISTS`."""
    import mcp_types as types  # the SDK is loaded when it is used

    from toolgen.sources.mcp_client.answers import WHOLE

    class Page(types.PaginatedResult):
        """A result that keeps all keys: the SDK's own types drop those that they do not know."""

        model_config = ConfigDict(alias_generator=lambda name: to_camel(key if name == "found" else name))

        found: list[Any]

    what = key.replace("_", " ")
    kind: Any = partial(types.PaginatedRequest[str], method="skills/list")  # of an extension
    if key != "skills":
        kind = getattr(types, f"List{to_pascal(key)}Request")
    listed: list[Any] = []
    cursor: str | None = None
    last: list[Any] = []
    seen = {""}  # some servers end a list with an empty cursor
    for _ in range(_MAX_PAGES):
        request = kind(params=types.PaginatedRequestParams(cursor=cursor))
        page = await client.session.send_request(request, Page)
        found = (page.meta or {}).get(WHOLE, page.found)
        is_same = cursor is not None and page.next_cursor == cursor and found == last
        last, cursor = found, page.next_cursor
        listed += [] if is_same else found
        if cursor is None or cursor in seen:
            if cursor is not None:
                again = f"the cursor {quoted(cursor)}, which is no other page"
                LOGGER.warning("%s: its list of %s ends with %s", source, what, again)
            return listed
        seen.add(cursor)
        if len(listed) > _MAX_TOOLS:
            break
    raise SourceError(
        f"{source}: its list of {what} does not end within {_MAX_PAGES:,} pages and {_MAX_TOOLS:,} {what}",
        f"{len(listed):,} were read; let the server list more on each page, or less in all",
    )


def first_cause(error: BaseException) -> BaseException:
    """Return the innermost exception of exception groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def describe_failure(error: BaseException) -> str:
    """Return in one line what a server did that made the SDK raise `error`."""
    error = first_cause(error)
    if isinstance(error, ValidationError):
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"])) or "the answer"
        return f"its answer does not follow MCP: {shortened(where)}: {fault['msg']}"
    text = str(error).split("\n", 1)[0]
    return shortened(text) if text else type(error).__name__
