"""Test a running MCP server: its list of tools first, then the calls of each tool."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from toolgen.base.suggestions import count, quoted
from toolgen.changes.comparing.definitions import listed_definitions
from toolgen.changes.comparing.exported_sides import own_definitions
from toolgen.project import UnableError
from toolgen.project.building.project_build import Inputs
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client import limits
from toolgen.sources.mcp_client.client import (
    ServerAddress,
    describe_failure,
    first_cause,
    read_tools,
    require_sdk,
)
from toolgen.sources.mcp_client.connection import ServerConnection, ServerLostError
from toolgen.testing.checks.all_checks import CHECKS
from toolgen.testing.harm import harm_to_server
from toolgen.testing.results import Failure, ServerReport, ToolReport
from toolgen.testing.running.runner import ToolRunner
from toolgen.testing.running.tool_run import RunOptions
from toolgen.testing.server.listing import CHECK, ListedTool, Listing, compare_listing
from toolgen.testing.server.server_subject import ServedTool, ServerSubject
from toolgen.testing.tool_under_test import ToolUnderTest

_HINT: Final = "does the server start, and speak MCP?"
_MAX_CRASHES: Final = 3  # one after another; then the server is given up
_MAX_LISTED: Final = 10  # names or pointers in one sentence


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a server is reached and tested."""

    server: ServerAddress
    today: date  # which decides about sunsets
    header_options: tuple[str, ...] = ()  # as they are on the command line


def test_server(
    inputs: Inputs, tools: Sequence[ToolUnderTest], options: RunOptions, server: ServerOptions
) -> ServerReport:
    """Return the report of each tool.

    Raises UnableError if the server cannot be reached, or lists no tools.
    """
    require_sdk("testing a server")
    scopes = sorted({scope for tool in tools for scope in tool.scopes})
    environment = {"TOOLGEN_SCOPES": ",".join(scopes)} if scopes else {}
    address = replace(server.server, environment=environment)
    connection = ServerConnection(address, asks_user=True)
    subject = ServerSubject(connection, server.header_options)
    with asyncio.Runner() as runner:
        try:
            listed = runner.run(_list(connection))
            exported = listed_definitions(listed.tools, f"the server {listed.server}")
            listing = compare_listing(own_definitions(inputs, exported), exported, server.today)
            subject.tools = {tool.name: _served(tool, listing.tools[tool.name]) for tool in tools}
            reports = _Tests(subject, listing, options, runner).run(tools)
        finally:
            runner.run(subject.close())
    noise = f"the server sent {connection.noise}, which is no message of MCP"
    return ServerReport(listed.server, tuple(reports), listing.unknown, (noise,) if connection.noise else ())


@dataclass(frozen=True, slots=True)
class _Listed:
    server: str
    tools: list[dict[str, Any]]


async def _list(connection: ServerConnection) -> _Listed:
    """Return the tools that a server lists. Raises UnableError."""
    server = connection.server
    try:
        client = await connection.open()
        async with asyncio.timeout(limits.TIME_LIMIT):
            tools = await read_tools(client, server.shown)
        info = client.server_info
        name = quoted(f"{info.name} {info.version}", 80) if info else quoted(server.shown)
        return _Listed(f"{name}, MCP {client.protocol_version}", tools)
    except ServerLostError as error:
        raise UnableError("bad-source", f"{server.shown}: {error}", _HINT) from None
    except TimeoutError:
        message = f"{server.shown}: no list of tools within {limits.TIME_LIMIT:.0f} seconds"
        raise UnableError("bad-source", message, _HINT) from None
    except SourceError as error:
        raise UnableError(error.code, error.message, error.hint or _HINT) from None
    except Exception as error:  # whatever a server makes the SDK raise, the server failed
        lost = await connection.why_lost()
        message = f"{server.shown}: {lost or describe_failure(first_cause(error))}"
        raise UnableError("bad-source", message, _HINT) from None


def _served(tool: ToolUnderTest, listed: ListedTool) -> ServedTool:
    return ServedTool(tool, listed.name, harm_to_server(tool, listed.annotations))


class _Tests:
    """The tests of the tools of one server."""

    def __init__(
        self, subject: ServerSubject, listing: Listing, options: RunOptions, runner: asyncio.Runner
    ) -> None:
        self._subject, self._listing, self._options, self._runner = subject, listing, options, runner
        self._crashes = 0

    def run(self, tools: Sequence[ToolUnderTest]) -> list[ToolReport]:
        """Return the report of each tool."""
        return [self._tool(tool, self._listing.tools[tool.name]) for tool in tools]

    def _tool(self, tool: ToolUnderTest, listed: ListedTool) -> ToolReport:
        if listed.is_missing:
            return _not_tested(tool, listed.failures, "the server has no such tool")
        if self._crashes == _MAX_CRASHES:
            message = f"not tested: the server failed with {_MAX_CRASHES} tools, one after another"
            failures = [*listed.failures, Failure("crash", message, tool.place)]
            return _not_tested(tool, failures, "the server fails")
        self._subject.begin(tool)
        report = ToolRunner(tool, self._subject, self._options, run_async=self._runner.run).run()
        crashed = any(each.check == "crash" for each in report.failures)
        if not report.not_tested:
            self._crashes = self._crashes + 1 if crashed else 0
        questions = () if report.not_tested else self._subject.seen[tool.name].unexpected_questions[:1]
        messages = (
            f"the server asks the user {quoted(each)}, and the spec has no `confirm` or `asks`"
            for each in questions
        )
        asked = [Failure("consent", message, tool.place) for message in messages]
        notes = [f"texts for models differ: {', '.join(listed.texts[:_MAX_LISTED])}"] if listed.texts else []
        reused = 0 if report.not_tested else self._subject.seen[tool.name].reused
        if reused:
            notes.append(f"{count(reused, 'request')} met the data that earlier ones left")
        return replace(
            report,
            failures=(*listed.failures, *report.failures, *asked),
            not_checked={**report.not_checked, **dict(self._not_checked(report, tool, listed))},
            notes=tuple(notes),
        )

    def _not_checked(
        self, report: ToolReport, tool: ToolUnderTest, listed: ListedTool
    ) -> Iterator[tuple[str, str]]:
        """Yield what could not be compared, with the reasons."""
        if listed.undecided:
            yield CHECK, f"schemas could not be compared: {listed.undecided[0]}"
        if report.not_tested:
            return
        seen = self._subject.seen[tool.name]
        for check in CHECKS:
            if check.needs_state and check.applies(tool):
                yield check.name, "the state of a server cannot be seen"
        if tool.chunk_schema is not None and not seen.chunks:
            yield "stream", "the server sent no chunks as messages of progress"
        if tool.previews:
            yield "preview", "a server that does not know previews would make the call"
        if seen.errors_without_code and tool.errors:
            yield (
                "error codes",
                "errors of the server have no code: only that a call ends in an error was compared",
            )


def _not_tested(tool: ToolUnderTest, failures: Sequence[Failure], reason: str) -> ToolReport:
    checks = {check.name: reason for check in CHECKS if check.applies(tool)}
    return ToolReport(tool.name, failures=tuple(failures), not_checked=checks)
