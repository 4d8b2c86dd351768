"""The tools of a running MCP server, tested through a client of the SDK."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from toolgen.base.suggestions import shortened
from toolgen.runtime.logs.redaction import redact
from toolgen.runtime.response import ERROR_KEY
from toolgen.runtime.validation.compiled_schema import CompiledSchema, compile_schema
from toolgen.runtime.validation.faults import find_faults
from toolgen.schema.document import Schema
from toolgen.sources.mcp_client.connection import (
    ServerAnswer,
    ServerConnection,
    ServerLostError,
    agree,
)
from toolgen.sources.mcp_client.results import response_of, text_of
from toolgen.testing.processes.implementation_tests import CALL_SECONDS, LATE_SECONDS, TOTAL_SECONDS
from toolgen.testing.subjects.subject import (
    Call,
    CallResult,
    Session,
    Subject,
    SubjectFailedError,
    call_command,
)
from toolgen.testing.tool_under_test import ToolUnderTest

_MAX_DETAIL = 400  # characters
_GENERATED_STARTS = 5  # of a command for generated requests to one tool: a start takes a second, a call none


@dataclass(frozen=True, slots=True)
class ServedTool:
    """A tool of the specs, as the server has it."""

    tool: ToolUnderTest
    name: str  # that the server lists
    harm: str = ""  # that its calls may do


@dataclass(slots=True)
class Seen:
    """What was seen of the answers about one tool."""

    errors_without_code: bool = False
    chunks: bool = False
    unexpected_questions: list[str] = field(default_factory=list)
    reused: int = 0  # sessions with the data that earlier calls of the tool left


class ServerSubject(Subject, Session):
    """The tools of a server. Its data is what it is: no session has data of its own, or shows its state.

    Nor are there previews: not every server knows them, and one that does not would make the call.
    """

    has_state = False
    has_fresh_data = False

    def __init__(self, connection: ServerConnection, header_options: Sequence[str]) -> None:
        """`header_options` are those of the command line, for the commands that make a call again."""
        self._server, self._header_options = connection.server, header_options
        self._asking = connection
        self._silent = ServerConnection(connection.server, asks_user=False)
        self._until = 0.0
        self._starts = 0  # that are left for the sessions of a tool
        self._sessions_of = ""  # the tool that is tested, if its calls may change data
        self._has_left_data = False  # a session of it ended, and the server was not started since
        self._response: CompiledSchema | None = None
        self._chunk: CompiledSchema | None = None
        self.tools: Mapping[str, ServedTool] = {}  # by the name in the spec
        self.seen: dict[str, Seen] = {}

    def begin(self, tool: ToolUnderTest) -> None:
        """Begin to test a tool: its time starts now."""
        self._until = time.monotonic() + TOTAL_SECONDS
        is_renewed = self._server.is_command and not tool.read_only
        self._starts = len(tool.examples) + _GENERATED_STARTS if is_renewed else 0
        self._sessions_of = "" if tool.read_only else tool.name
        self._has_left_data = False
        self.seen[tool.name] = Seen()
        self._response, self._chunk = _compiled(tool.output_schema), _compiled(tool.chunk_schema)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """Begin a session with the server as it is.

        A command is started again after calls of a tool that is not read-only, so that it can renew its data:
        for each example, which comes first, and for some generated requests. The data of the others is that
        which earlier requests have left, as on a server with a URL.
        """
        if self._has_left_data and self._sessions_of:
            self.seen[self._sessions_of].reused += 1
        yield self
        self._has_left_data = not self._starts
        if self._starts:
            self._starts -= 1
            await self.close()

    def reason_not_to_call(self, tool: ToolUnderTest) -> str:
        """Return how calls may do harm; empty if they do none."""
        return self.tools[tool.name].harm

    def command(self, call: Call, tool: ToolUnderTest) -> str:
        """Return the `toolgen call` line that makes the same call."""
        headers = [word for option in self._header_options for word in ("--header", option)]
        options = ["--against", self._server.source, *headers]
        return call_command(replace(call, tool=self.tools[tool.name].name), tool, options)

    async def call(self, call: Call) -> CallResult:
        """Make a call. Raises SubjectFailedError."""
        served = self.tools[call.tool]
        if time.monotonic() > self._until:
            raise SubjectFailedError(f"its tests took longer than {TOTAL_SECONDS:g} seconds", call)
        connection = self._silent if call.consent == "nobody" else self._asking
        tool = served.tool
        agrees = (tool.confirms or tool.asks) and call.consent == "given"
        seconds = CALL_SECONDS if tool.timeout is None else max(CALL_SECONDS, tool.timeout + LATE_SECONDS)
        try:
            given = await connection.call(
                served.name, call.arguments, ask=agree if agrees else None, seconds=seconds
            )
        except ServerLostError as error:
            raise SubjectFailedError(str(error), call) from None
        return self._answer(tool, given)

    async def close(self) -> None:
        """End both connections."""
        await self._asking.close()
        await self._silent.close()

    def _answer(self, tool: ToolUnderTest, given: ServerAnswer) -> CallResult:
        """Return an answer as checks compare it."""
        seen = self.seen.setdefault(tool.name, Seen())
        if not (tool.confirms or tool.asks):
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
