"""What an implementation is told about its call, and what the application configures for all calls."""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable, Collection, Generator, Mapping, MutableMapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

if TYPE_CHECKING:
    import asyncio

    from .checkpoint import Checkpoint
    from .confirmation.question import Approval, Confirm
    from .instrumentation.record import Failure
    from .settings import Settings

LOGGER = logging.getLogger("toolgen.runtime")

Progress: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None]]
Logger: TypeAlias = "logging.Logger | logging.LoggerAdapter[Any]"
Listener: TypeAlias = Callable[[Any], Awaitable[None]]
EventKind: TypeAlias = Literal["started", "validated", "chunk", "finished", "failed", "cancelled", "pending"]


@dataclass(frozen=True, slots=True)
class ToolEvent:
    """One moment of a call, for the application's callback.

    `data` has the arguments (started), the chunk and its number from 1 (chunk), the content and seconds
    (finished), the error and seconds (failed), seconds (cancelled, pending: the user has to be asked first).
    Secrets that a caller put in the arguments are in there.
    """

    kind: EventKind
    tool_name: str
    call_id: str
    data: Mapping[str, Any] = field(default_factory=dict)
    principal: str | None = None  # who calls, where the transport or the application knows
    session_id: str | None = None  # of the conversation; None outside of a session


@dataclass(frozen=True, slots=True)
class ToolConfig:
    """How an application watches its tools. A callback or logger that raises never breaks a call."""

    logger: Logger | None = None  # default: the logger "toolgen.runtime"
    callback: Callable[[ToolEvent], Awaitable[None] | None] | None = None
    checkpoint: str | os.PathLike[str] | None = None  # folder where tools may keep state between calls
    settings: Settings | None = None  # limits and choices; None: those of the environment variables


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a call, and how: the values of the `CallOptions` that were given."""

    preview: ClassVar[bool] = False  # True: asks what would happen; nothing is done

    confirm: Confirm | None = None
    confirmation_token: str | None = None
    context: Mapping[Any, Any] | None = None
    meta: Mapping[str, Any] | None = None
    progress: Progress | None = None
    scopes: Collection[str] | None = None
    listen: Listener | None = None
    principal: str | None = None


class PreviewCaller(Caller):
    """A caller of `Toolkit.preview`."""

    preview = True


DEFAULT_CONFIG = ToolConfig()
ANYBODY = Caller()


class _Done:
    """An awaitable that has nothing to wait for."""

    def __await__(self) -> Generator[None, None, None]:
        return iter(())  # type: ignore[return-value]


DONE = _Done()


@dataclass(slots=True, eq=False)
class ToolContext:
    """One call, seen from inside the implementation."""

    call_id: str  # correlation id: in the log, in events and in internal errors
    tool_name: str
    config: ToolConfig = DEFAULT_CONFIG
    meta: Mapping[str, Any] = field(default_factory=dict)  # the protocol's request metadata (`_meta` in MCP)
    extras: MutableMapping[str, Any] = field(default_factory=dict)  # seen by the session's next call
    progress: Progress | None = field(default=None, repr=False)
    metadata: dict[str, Any] = field(default_factory=dict)  # about the answer, for the application: JSON
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)  # those that the spec names
    principal: str | None = None  # who calls, where the transport or the application knows
    session_id: str | None = None  # of the conversation; None outside of a session
    approval: Approval | None = None  # what the user approved; None where nobody had to be asked
    final_answer: bool = False  # the spec's; set it to say of this response that it is meant for the user
    loop: asyncio.AbstractEventLoop = field(init=False, repr=False)  # where `progress` is awaited
    _began: float = field(default_factory=perf_counter, init=False, repr=False)
    _failure: Failure | None = field(default=None, init=False, repr=False)

    @property
    def logger(self) -> logging.LoggerAdapter[Any]:
        """The configured logger; records carry `tool_name` and `call_id`, secrets of the spec are masked."""
        from .instrumentation.redaction import CallLogger

        fields = {"tool_name": self.tool_name, "call_id": self.call_id}
        if self.principal is not None:
            fields["principal"] = self.principal
        if self.session_id is not None:
            fields["session_id"] = self.session_id
        return CallLogger(self.config.logger or LOGGER, fields, list(self.secrets.values()))

    @property
    def checkpoint(self) -> Checkpoint:
        """The tool's place for state that outlives the call: `.save(name, data)`, `.load(name, default)`."""
        from .checkpoint import Checkpoint

        return Checkpoint(self.config.checkpoint, self.tool_name)

    def check_approval(self, preview: str | None) -> None:
        """Raise ChangedSinceConfirmedError if the user approved something else than `preview`.

        For `execute`, inside the transaction that does the work; `preview` is what it is about to do, in the
        words of the tool's `preview`. Does nothing where nobody had to be asked.
        """
        if self.approval is not None and self.approval.preview != preview:
            from .errors import ChangedSinceConfirmedError

            raise ChangedSinceConfirmedError

    def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> Awaitable[None]:
        """Report how far the work is, to a caller that asked for it.

        In an `async def`, await it. In a plain `def`, calling it is enough: it returns when the report has
        been sent. It never raises, and does nothing where the caller did not ask or has gone.
        """
        send = self.progress
        if send is None:
            return DONE
        from .execution.progress import send_report

        return send_report(self, send, progress, total, message)
