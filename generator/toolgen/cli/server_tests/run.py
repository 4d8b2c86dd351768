"""Test a running MCP server: its list of tools first, then the calls of each tool."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from toolgen.cli.building.project_build import Inputs
from toolgen.cli.comparing.exported_sides import own_definitions
from toolgen.cli.importing.common import TIME_LIMIT
from toolgen.cli.importing.mcp_client import (
    ServerAddress,
    describe_failure,
    first_cause,
    read_tools,
    require_sdk,
)
from toolgen.cli.server_tests.connection import ServerConnection, ServerLostError
from toolgen.cli.server_tests.listing import CHECK, ListedTool, Listing, compare_listing, read_listing
from toolgen.cli.server_tests.server_subject import ServedTool, ServerSubject
from toolgen.importers.imported_tool import SourceError
from toolgen.project import UnableError
from toolgen.suggestions import quoted
from toolgen.testing.checks.all_checks import CHECKS
from toolgen.testing.results import Failure, ToolReport
from toolgen.testing.running.runner import ToolRunner
from toolgen.testing.running.tool_run import RunOptions
from toolgen.testing.tool_under_test import ToolUnderTest, hints_of

_HINT: Final = "does the server start, and speak MCP?"
_MAX_CRASHES: Final = 3  # one after another; then the server is given up
_MAX_LISTED: Final = 10  # names or pointers in one sentence


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a server is reached and tested."""

    server: ServerAddress
    header_options: tuple[str, ...] = ()  # as they are on the command line


@dataclass(frozen=True, slots=True)
class ServerReport:
    """The result of testing a server."""

    server: str  # its name and protocol version
    reports: list[ToolReport]
    unknown: tuple[str, ...]  # listed tools that the specs do not have
    notes: tuple[str, ...] = ()


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
            exported = read_listing(listed.tools, f"the server {listed.server}")
            listing = compare_listing(own_definitions(inputs, exported), exported)
            subject.tools = {tool.name: _served(tool, listing.tools[tool.name]) for tool in tools}
            reports = _Tests(subject, listing, options, runner).run(tools)
        finally:
            runner.run(subject.close())
    noise = f"the server sent {connection.noise}, which is no message of MCP"
    return ServerReport(listed.server, reports, listing.unknown, (noise,) if connection.noise else ())


@dataclass(frozen=True, slots=True)
class _Listed:
    server: str
    tools: list[dict[str, Any]]


async def _list(connection: ServerConnection) -> _Listed:
    """Return the tools that a server lists. Raises UnableError."""
    server = connection.server
    try:
        client = await connection.open()
        async with asyncio.timeout(TIME_LIMIT):
            tools = await read_tools(client, server.shown)
        info = client.server_info
        name = quoted(f"{info.name} {info.version}", 80) if info else quoted(server.shown)
        return _Listed(f"{name}, MCP {client.protocol_version}", tools)
    except ServerLostError as error:
        raise UnableError("bad-source", f"{server.shown}: {error}", _HINT) from None
    except TimeoutError:
        message = f"{server.shown}: no list of tools within {TIME_LIMIT:.0f} seconds"
        raise UnableError("bad-source", message, _HINT) from None
    except SourceError as error:
        raise UnableError(error.code, error.message, error.hint or _HINT) from None
    except Exception as error:  # whatever a server makes the SDK raise, the server failed
        lost = await connection.why_lost()
        message = f"{server.shown}: {lost or describe_failure(first_cause(error))}"
        raise UnableError("bad-source", message, _HINT) from None


def _served(tool: ToolUnderTest, listed: ListedTool) -> ServedTool:
    """Return a tool, and how its calls may do harm: by its spec, or by the server's own annotations."""
    if not tool.is_harmless:
        return ServedTool(tool, listed.name, "it may change or destroy data of the server")
    if not replace(tool, **hints_of(listed.annotations)).is_harmless:
        reason = "by the server's own annotations, it may change or destroy data"
        return ServedTool(tool, listed.name, reason)
    return ServedTool(tool, listed.name)


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
        test = ToolRunner(tool, self._subject, self._options, run_async=self._runner.run)
        report = test.run()
        crashed = any(each.check == "crash" for each in report.failures)
        if not report.not_tested:
            self._crashes = self._crashes + 1 if crashed else 0
        report.failures[:0] = listed.failures
        self._add_notes(report, tool, listed)
        return report

    def _add_notes(self, report: ToolReport, tool: ToolUnderTest, listed: ListedTool) -> None:
        """Add what could not be compared, and what differs and is no failure."""
        seen = self._subject.seen[tool.name]
        if listed.undecided:
            report.not_checked[CHECK] = f"schemas could not be compared: {listed.undecided[0]}"
        if listed.texts:
            report.notes.append(f"texts for models differ: {', '.join(listed.texts[:_MAX_LISTED])}")
        if report.not_tested:
            return
        for check in CHECKS:
            if check.needs_state and check.applies(tool):
                report.not_checked[check.name] = "the state of a server cannot be seen"
        if tool.chunk_schema is not None and not seen.chunks:
            report.not_checked["stream"] = "the server sent no chunks as messages of progress"
        if tool.previews:
            report.not_checked["preview"] = "a server that does not know previews would make the call"
        if seen.errors_without_code and tool.errors:
            reason = "errors of the server have no code: only that a call ends in an error was compared"
            report.not_checked["error codes"] = reason
        for question in seen.unexpected_questions[:1]:
            message = f"the server asks the user {quoted(question)}, and the spec has no `confirm`"
            report.failures.append(Failure("consent", message, tool.place))


def _not_tested(tool: ToolUnderTest, failures: list[Failure], reason: str) -> ToolReport:
    checks = {check.name: reason for check in CHECKS if check.applies(tool)}
    return ToolReport(tool.name, failures=failures, not_checked=checks)
