"""What an implementation is told about its call, and what the application configures for all calls."""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from .checkpoint import Checkpoint
    from .confirmation.question import Confirm
    from .settings import Settings

LOGGER = logging.getLogger("toolgen.runtime")

Progress: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None]]
Logger: TypeAlias = "logging.Logger | logging.LoggerAdapter[Any]"
Listener: TypeAlias = Callable[[Any], Awaitable[None]]
EventKind: TypeAlias = Literal["started", "validated", "chunk", "finished", "failed"]


@dataclass(frozen=True, slots=True)
class ToolEvent:
    """One moment of a call, for the application's callback.

    `data` has the arguments (started), the chunk and its number from 1 (chunk), the content and seconds
    (finished), the error and seconds (failed). Secrets that a caller put in the arguments are in there.
    """

    kind: EventKind
    tool_name: str
    call_id: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolConfig:
    """How an application watches its tools. A callback or logger that raises never breaks a call."""

    logger: Logger | None = None  # default: the logger "toolgen.runtime"
    callback: Callable[[ToolEvent], Awaitable[None] | None] | None = None
    checkpoint: str | os.PathLike[str] | None = None  # folder where tools may keep state between calls
    settings: Settings | None = None  # limits and choices; None: those of the environment variables


@dataclass(frozen=True, slots=True)
class Caller:
    """What a call brings along beside its arguments."""

    confirm: Confirm | None = None  # asks the user
    token: str | None = None  # for a call that the application has had confirmed
    meta: Mapping[str, Any] = field(default_factory=dict)
    progress: Progress | None = None
    scopes: frozenset[str] | None = None  # what the caller may do; None: not for this transport to say
    listen: Listener | None = None  # is given each chunk of a streamed result
    principal: str | None = None  # who calls, where the transport or the application knows


DEFAULT_CONFIG = ToolConfig()
ANYBODY = Caller()


@dataclass(slots=True)
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
    final_answer: bool = False  # the spec's; set it to say of this response that it is meant for the user

    @property
    def logger(self) -> logging.LoggerAdapter[Any]:
        """The configured logger; records carry `tool_name` and `call_id`, secrets of the spec are masked."""
        from .instrumentation.redaction import CallLogger

        fields = {"tool_name": self.tool_name, "call_id": self.call_id}
        return CallLogger(self.config.logger or LOGGER, fields, list(self.secrets.values()))

    @property
    def checkpoint(self) -> Checkpoint:
        """The tool's place for state that outlives the call: `.save(name, data)`, `.load(name, default)`."""
        from .checkpoint import Checkpoint

        return Checkpoint(self.config.checkpoint, self.tool_name)

    async def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Tell the caller how far the work is. Does nothing where the caller did not ask to be told."""
        if self.progress is None:
            return
        try:
            await self.progress(progress, total, message)
        except Exception:  # a caller that has gone away must not undo the work
            LOGGER.exception("reporting progress of %s failed (call %s)", self.tool_name, self.call_id)
