"""The subject of a test: takes calls, gives answers and snapshots of state, however a tool is reached."""

from __future__ import annotations

import json
import shlex
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol
from urllib.parse import urlsplit

from toolgen.runtime.errors import ToolError
from toolgen.runtime.http.request import base_url
from toolgen.schema.document import JsonObject
from toolgen.serving.auth.addresses import is_loopback
from toolgen.testing.tool_under_test import ToolUnderTest, hints_of

Consent = Literal["given", "refused", "nobody", "outdated"]
"""The user's answer, should one be asked; nobody: there is no user to ask; outdated: the user agreed, but
to another preview than the tool makes when it acts."""


NO_STATE: Final = object()
"""In the place of a snapshot where the project gives none."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool."""

    tool: str
    arguments: JsonObject
    consent: Consent = "given"
    max_page_bytes: int | None = None  # of a tool with pages; None: as the spec allows


FAULTS: Final = frozenset(
    {
        "internal_error",
        "invalid_response",
        "missing_dependency",
        "not_implemented",
        "not_ready",
        "timeout",
        "unknown_tool",
    }
)
"""Reserved codes of answers that say that the implementation failed."""


class SubjectFailedError(Exception):
    """The subject ended or hung during a call; the tool cannot be tested further. The message says how."""

    def __init__(self, message: str, call: Call) -> None:
        super().__init__(message)
        self.call = call


@dataclass(frozen=True, slots=True)
class CallResult:
    """The answer to a call."""

    content: Any = None
    error: str | None = None  # the code; None for a success, "" if the answer does not say
    message: str = ""  # of the error, for people
    detail: str = ""  # what the log says about the error: an exception and its place
    details: Any = None  # of the error, for programs
    chunks: tuple[Any, ...] | None = ()  # None: it cannot be known whether there were chunks
    questions: tuple[str, ...] = ()  # to the user
    blocks: tuple[JsonObject, ...] = ()  # what is known about each, with its hash
    metadata: Mapping[str, Any] = field(default_factory=dict)  # of the tool
    extras: Mapping[str, Any] = field(default_factory=dict)
    progress: tuple[JsonObject, ...] = ()  # reports
    note: str = ""  # what the log says about a success

    @property
    def shown(self) -> str:
        """Return a description: `a result`, or the error with what is known about it."""
        if self.error is None:
            return "a result"
        code = self.error or "an error without a code"
        about = self.detail or self.message.partition("\n")[0]
        return f"{code} ({about})" if about else code


class Session(Protocol):
    """A conversation with the tools, in a state of its own if the project gives one.

    By default it has no snapshots of its state, without which concurrent and cancelled calls show nothing.
    """

    async def call(self, call: Call) -> CallResult:
        """Make a call. Errors are in the answer. Raises only SubjectFailedError, if there is no answer."""

    async def concurrent_calls(self, calls: Sequence[Call]) -> list[CallResult]:
        """Make several calls at once; return their answers."""
        return [await self.call(call) for call in calls]

    async def cancelled_call(self, call: Call, turns: int) -> bool:
        """Make a call, cancel it after `turns` of the event loop. Return True if it was cancelled in time."""
        await self.call(call)
        return False

    async def preview(self, call: Call) -> CallResult | None:
        """Return the preview of a call; None if it cannot be requested."""
        return None

    def state(self) -> Any:
        """Return a snapshot that can be compared; NO_STATE if there is none."""
        return NO_STATE


class Subject(Protocol):
    """Tools that can be tested. By default, calls show whether they are implemented."""

    has_state: bool  # there are snapshots
    has_fresh_data: bool  # each session begins with the same data

    @abstractmethod
    def session(self) -> AbstractAsyncContextManager[Session]:
        """Begin a session."""

    def is_implemented(self, tool: ToolUnderTest) -> bool:
        """Return False if the tool has no implementation, or only a stub. Makes no call."""
        return True

    @abstractmethod  # no default: what is not known to be harmless is not called
    def reason_not_to_call(self, tool: ToolUnderTest) -> str:
        """Return how calls of a tool may do harm; empty if they do none."""

    def command(self, call: Call, tool: ToolUnderTest) -> str:
        """Return the command line that makes the same call."""
        return call_command(call, tool)


def call_command(call: Call, tool: ToolUnderTest, server_options: Sequence[str] = ()) -> str:
    """Return the `toolgen call` line that makes a call: of a project, or of a server with its own scopes."""
    words = ["toolgen", "call", call.tool, *server_options]
    words += ["--yes"] if tool.confirms and call.consent == "given" else []
    words += ["--scopes", ",".join(tool.scopes)] if tool.scopes and not server_options else []
    text = json.dumps(call.arguments, ensure_ascii=False, separators=(",", ":"))
    return shlex.join([*words, "--input", text])


def harm_to_own_data(tool: ToolUnderTest) -> str:
    """Return how calls of the default toolkit of a project may do harm."""
    if tool.is_harmless:
        return ""
    return "it may change or destroy something, and there is no fixture toolgen_toolkit with data for tests"


def harm_to_server(tool: ToolUnderTest, listed_annotations: Mapping[str, Any] | None) -> str:
    """Return how calls of a running server may do harm, by the spec or by what the server lists."""
    if not tool.is_harmless:
        return "it may change or destroy data of the server"
    if not replace(tool, **hints_of(listed_annotations)).is_harmless:
        return "by the server's own annotations, it may change or destroy data"
    return ""


def harm_to_api(operation: Mapping[str, Any]) -> str:
    """Return how calls of an HttpTool may do harm: an API on another machine has no data for tests."""
    try:
        host = urlsplit(base_url(operation)).hostname or ""
    except (ToolError, KeyError):
        return ""  # it calls nothing
    if is_loopback(host):
        return ""
    cure = f"let toolgen_toolkit set {operation['base_url']} to a local API"
    return f"it may change or destroy something at {host}; {cure}"
