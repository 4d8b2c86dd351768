"""Test a running MCP server: its list of tools first, then the calls of each tool."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final

from toolgen.base.suggestions import quoted, shortened
from toolgen.changes.comparing.definitions import listed_definitions
from toolgen.changes.comparing.source_definitions import own_definitions
from toolgen.language.diagnostic import Progress
from toolgen.project import UnableError
from toolgen.project.building.project_build import Inputs
from toolgen.runtime.logs.redaction import redact
from toolgen.runtime.response import ERROR_KEY
from toolgen.runtime.validation.compiled_schema import CompiledSchema, compile_schema
from toolgen.runtime.validation.faults import find_faults
from toolgen.schema.document import Schema
from toolgen.serving.received_results import response_of, text_of
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client import limits
from toolgen.sources.mcp_client.client import ServerAddress, read_tools, require_sdk
from toolgen.sources.mcp_client.connection import HINT, CallingConnection, ServerAnswer, agree, hint_for
from toolgen.sources.mcp_client.outcomes import RequestFailedError
from toolgen.testing.checks import CHECKS
from toolgen.testing.processes.implementation_tests import CALL_SECONDS, LATE_SECONDS, TOTAL_SECONDS
from toolgen.testing.results import Failure, ServerReport, ToolReport
from toolgen.testing.runner import RunOptions, ToolRunner
from toolgen.testing.server.listing import CHECK, ListedTool, compare_listing
from toolgen.testing.subject import (
    Call,
    CallResult,
    Session,
    Subject,
    SubjectFailedError,
    call_command,
    harm_to_server,
)
from toolgen.testing.tool_under_test import ToolUnderTest

_ASKS_PEOPLE = "people would be asked to approve its calls"
_MAX_DETAIL = 400  # characters


@dataclass(slots=True)
class Seen:
    """What was seen of the answers about one tool."""

    errors_without_code: bool = False
    chunks: bool = False
    unexpected_questions: list[str] = field(default_factory=list)


class ServerSubject(Subject, Session):
    """The tools of a server. Its data is what it is: no session has data of its own, or shows its state.

    Nor are there previews: not every server knows them, and one that does not would make the call.
    """

    has_state = False
    has_fresh_data = False

    def __init__(self, connection: CallingConnection, header_options: Sequence[str]) -> None:
        """`header_options` are those of the command line, for the commands that make a call again."""
        self._server, self._header_options = connection.server, header_options
        self._asking = connection
        self._silent = CallingConnection(connection.server, asks_user=False)
        self._until = 0.0
        self._starts = 0  # that are left for the sessions of a tool
        self._response: CompiledSchema | None = None
        self._chunk: CompiledSchema | None = None
        self.listed: Mapping[str, ListedTool] = {}  # by the name in the spec
        self.seen = Seen()

    def begin(self, tool: ToolUnderTest) -> None:
        """Begin to test a tool: its time starts now."""
        self._until = time.monotonic() + TOTAL_SECONDS
        is_renewed = self._server.is_command and not tool.read_only
        self._starts = len(tool.examples) if is_renewed else 0
        self._tool, self.seen = tool, Seen()
        self._response, self._chunk = _compiled(tool.output_schema), _compiled(tool.chunk_schema)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """Begin a session with the server as it is.

        A command is started again after each example, which come first, of a tool that is not read-only, so
        that it can renew its data. Generated requests meet the data that earlier ones have left, as on a
        server with a URL.
        """
        yield self
        if self._starts:
            self._starts -= 1
            await self.close()

    def reason_not_to_call(self, tool: ToolUnderTest) -> str:
        """Return how calls may do harm; empty if they do none."""
        return harm_to_server(tool, self.listed[tool.name].annotations)

    def command(self, call: Call, tool: ToolUnderTest) -> str:
        """Return the `toolgen call` line that makes the same call."""
        headers = [word for option in self._header_options for word in ("--header", option)]
        options = ["--against", self._server.source, *headers]
        return call_command(replace(call, tool=self.listed[tool.name].name), tool, options)

    async def call(self, call: Call) -> CallResult:
        """Make a call. Raises SubjectFailedError."""
        tool = self._tool
        if time.monotonic() > self._until:
            raise SubjectFailedError(f"its tests took longer than {TOTAL_SECONDS:g} seconds", call)
        connection = self._silent if call.consent == "nobody" else self._asking
        agrees = (tool.confirms or tool.asks) and call.consent == "given"
        seconds = CALL_SECONDS if tool.timeout is None else max(CALL_SECONDS, tool.timeout + LATE_SECONDS)
        if lost := await connection.why_lost():
            raise SubjectFailedError(lost, call)
        try:
            given = await connection.call(
                self.listed[tool.name].name, call.arguments, ask=agree if agrees else None, seconds=seconds
            )
        except RequestFailedError as failed:
            raise SubjectFailedError(str(failed), call) from None
        return self._answer(given)

    async def close(self) -> None:
        """End both connections."""
        await self._asking.close()
        await self._silent.close()

    def _answer(self, given: ServerAnswer) -> CallResult:
        """Return an answer as checks compare it."""
        seen = self.seen
        if not (self._tool.confirms or self._tool.asks):
            seen.unexpected_questions += given.questions[:1]
        questions = tuple(given.questions)
        if given.result is None:
            return CallResult(error=given.refusal, message=self._shown(given.message), questions=questions)
        if given.result.is_error:
            error = (given.result.meta or {}).get(ERROR_KEY)
            code = error.get("code") if isinstance(error, Mapping) else None
            seen.errors_without_code |= not isinstance(code, str)
            return CallResult(
                error=self._shown(code) if isinstance(code, str) else "",
                message=self._shown(text_of(given.result)),
                questions=questions,
            )
        chunks = () if self._chunk is None else _chunks(self._chunk, given.messages)
        seen.chunks |= chunks is not None
        schema = self._response
        response = response_of(given.result, None if schema is None else schema.accepts)
        content = redact(response, self._server.secrets)
        if schema is None or schema.accepts(content):
            return CallResult(content, chunks=chunks, questions=questions)
        faults = "; ".join(f"{each.path}: {each.message}" for each in find_faults(schema, content)[:3])
        return CallResult(content, "invalid_response", detail=faults[:_MAX_DETAIL], questions=questions)

    def _shown(self, text: str) -> str:
        """Return a text of the server for messages: short, and without the values of headers."""
        return shortened(str(redact(text, self._server.secrets)), _MAX_DETAIL)


def _chunks(schema: CompiledSchema, messages: Sequence[str]) -> tuple[Any, ...] | None:
    """Return the chunks among the messages of progress; None if there are none."""
    rows = [[value for value in _readings(message) if schema.accepts(value)] for message in messages]
    return tuple(row[0] for row in rows if row) or None


def _readings(message: str) -> list[Any]:
    """Return what a message can be: a text, or the JSON of a chunk that is not a text."""
    try:
        return [message, json.loads(message)]
    except ValueError:
        return [message]


def _compiled(schema: Schema | None) -> CompiledSchema | None:
    if schema is None:
        return None
    # A schema may be `true`, and only objects are compiled.
    return compile_schema(schema if isinstance(schema, dict) else {"allOf": [schema]})


_MAX_CRASHES: Final = 3  # one after another; then the server is given up
_MAX_LISTED: Final = 10  # names or pointers in one sentence


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a server is reached and tested."""

    server: ServerAddress
    today: date  # which decides about sunsets
    header_options: tuple[str, ...] = ()  # as they are on the command line


def test_server(
    inputs: Inputs,
    tools: Sequence[ToolUnderTest],
    options: RunOptions,
    server: ServerOptions,
    progress: Progress,
) -> ServerReport:
    """Return the report of each tool.

    Raises UnableError if the server cannot be reached, or lists no tools.
    """
    require_sdk("testing a server")
    scopes = sorted({scope for tool in tools for scope in tool.scopes})
    environment = {"TOOLGEN_SCOPES": ",".join(scopes)} if scopes else {}
    address = replace(server.server, environment=environment)
    connection = CallingConnection(address, asks_user=True)
    subject = ServerSubject(connection, server.header_options)
    with asyncio.Runner() as runner:
        try:
            listed = runner.run(_list(connection))
            exported = listed_definitions(listed.tools, f"the server {listed.server}")
            listing = compare_listing(own_definitions(inputs, exported), exported, server.today)
            subject.listed = listing.tools
            reports = []
            for report in _test_tools(subject, tools, options, runner):
                reports.append(report)
                progress("testing tools", len(reports), len(tools))
        finally:
            runner.run(subject.close())
    noise = f"the server sent {connection.noise}"
    return ServerReport(listed.server, tuple(reports), listing.unknown, (noise,) if connection.noise else ())


@dataclass(frozen=True, slots=True)
class _Listed:
    server: str
    tools: list[dict[str, Any]]


async def _list(connection: CallingConnection) -> _Listed:
    """Return the tools that a server lists. Raises UnableError."""
    server = connection.server
    try:
        client = await connection.open()
        tools = await connection.request(lambda client: read_tools(client, server.shown), limits.TIME_LIMIT)
        info = client.server_info
        name = quoted(f"{info.name} {info.version}") if info else quoted(server.shown)
        return _Listed(f"{name}, MCP {client.protocol_version}", tools)
    except RequestFailedError as failed:
        raise UnableError("bad-source", f"{server.shown}: {failed}", hint_for(failed)) from None
    except SourceError as error:
        raise UnableError(error.code, error.message, error.hint or HINT) from None


def _test_tools(
    subject: ServerSubject, tools: Sequence[ToolUnderTest], options: RunOptions, runner: asyncio.Runner
) -> Iterator[ToolReport]:
    """Yield the report of each tool."""
    crashes = 0  # one after another
    for tool in tools:
        listed = subject.listed[tool.name]
        if listed.is_missing:
            yield _not_tested(tool, listed.failures, "the server has no such tool")
            continue
        if tool.needs_people:  # whatever --all-calls says: an approval is a real one here
            yield ToolReport(tool.name, failures=tuple(listed.failures), not_tested=_ASKS_PEOPLE)
            continue
        if crashes == _MAX_CRASHES:
            message = f"not tested: the server failed with {_MAX_CRASHES} tools, one after another"
            failures = [*listed.failures, Failure("crash", message, tool.place)]
            yield _not_tested(tool, failures, "the server fails")
            continue
        subject.begin(tool)
        report = ToolRunner(tool, subject, options, run_async=runner.run).run()
        if not report.not_tested:
            crashes = crashes + 1 if any(each.check == "crash" for each in report.failures) else 0
        asked = []
        for each in subject.seen.unexpected_questions[:1]:
            message = f"the server asks the user {quoted(each)}, and the spec has no `confirm` or `asks`"
            asked.append(Failure("consent", message, tool.place))
        notes = [f"texts for models differ: {', '.join(listed.texts[:_MAX_LISTED])}"] if listed.texts else []
        yield replace(
            report,
            failures=(*listed.failures, *report.failures, *asked),
            not_checked={**report.not_checked, **dict(_not_checked(subject.seen, report, tool, listed))},
            notes=tuple(notes),
        )


def _not_checked(
    seen: Seen, report: ToolReport, tool: ToolUnderTest, listed: ListedTool
) -> Iterator[tuple[str, str]]:
    """Yield what could not be compared, with the reasons."""
    if listed.undecided:
        yield CHECK, f"schemas could not be compared: {listed.undecided[0]}"
    if report.not_tested:
        return
    for check in CHECKS:
        if check.needs_state and check.applies(tool):
            yield check.name, "the state of a server cannot be seen"
    if tool.chunk_schema is not None and not seen.chunks:
        yield "stream", "the server sent no chunks as messages of progress"
    if tool.previews:
        yield "preview", "a server that does not know previews would make the call"
    if seen.errors_without_code and tool.errors:
        why = "errors of the server have no code: only that a call ends in an error was compared"
        yield "error codes", why


def _not_tested(tool: ToolUnderTest, failures: Sequence[Failure], reason: str) -> ToolReport:
    checks = {check.name: reason for check in CHECKS if check.applies(tool)}
    return ToolReport(tool.name, failures=tuple(failures), not_checked=checks)
