"""The context of a call: who makes it, what its implementation is given, what the application configures."""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable, Collection, Coroutine, Generator, Mapping, MutableMapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from .errors import ChangedSinceConfirmedError
from .logs.logger import LOGGER, CallLogger
from .logs.redaction import without_text
from .text import well_formed

if TYPE_CHECKING:
    import asyncio

    from pydantic import BaseModel

    from .checkpoint import Checkpoint
    from .confirmation.question import Approval, Confirm, ShowApproval
    from .confirmation.tokens import Approved
    from .elicitation import Elicit, ElicitationResult
    from .isolation import WorkClock
    from .settings import Settings

_REPORT_SECONDS: Final = 10.0  # that a thread waits until one progress report has been sent

Model = TypeVar("Model", bound="BaseModel")
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
    """The configuration of a toolkit. A callback or logger that raises never breaks a call.

    Args:
        logger: a `logging.Logger` or `LoggerAdapter` for the records of calls. The default is the logger
            "toolgen.runtime".
        callback: a function, async or not, that gets a ToolEvent at each step of a call. The default is none.
        checkpoint: the folder for the state of tools between calls. Without it, `context.checkpoint` answers
            `missing_dependency`.
        settings: limits and choices of the process. By default, they are read from environment variables.

    Example:
        toolkit = Toolkit([Count()], config=ToolConfig(callback=events.append, checkpoint="/var/lib/shop"))
    """

    logger: Logger | None = None
    callback: Callable[[ToolEvent], Awaitable[None] | None] | None = None
    checkpoint: str | os.PathLike[str] | None = None
    settings: Settings | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller and the options of one call: the values of `CallOptions`."""

    confirm: Confirm | None = None
    confirmation_token: str | None = None
    context: Mapping[Any, Any] | None = None
    meta: Mapping[str, Any] | None = None
    progress: Progress | None = None
    scopes: Collection[str] | None = None
    listen: Listener | None = None
    principal: str | None = None
    max_page_bytes: int | None = None
    idempotency_key: str | None = None
    elicit: Elicit | None = None
    show_approval: ShowApproval | None = None
    headers: Mapping[str, str] | None = field(default=None, repr=False)
    is_lenient: bool = False
    as_task: bool = False
    preview: bool = False  # only the preview is wanted
    in_worker: bool = False  # the call was admitted by the process that queued it
    approved: Approved | None = None  # in a worker: by the user, before the call was queued

    def approved_preview(self, preview: str | None) -> str | None:
        """Return the preview that the user approved: the one that was shown, except in tests of tools."""
        return preview


DEFAULT_CONFIG = ToolConfig()
ANYBODY = Caller()


@dataclass(frozen=True, slots=True)
class CallFailure:
    """Details of a failed call for its log record, beside the error that the caller receives."""

    summary: str  # contains no values
    error: BaseException | None = None  # its traceback is logged; its message only at DEBUG
    detail: str = ""  # logged only at DEBUG
    level: int = logging.NOTSET  # the lowest level of the record; the error's code may require a higher one


class _Done:
    """An awaitable that is done."""

    def __await__(self) -> Generator[None, None, None]:
        return iter(())  # type: ignore[return-value]


_DONE: Final = _Done()
_sending: set[asyncio.Task[None]] = set()  # progress reports; the event loop keeps weak references only


@dataclass(slots=True, eq=False)
class ToolContext:
    """The context of one call, as its implementation sees it.

    Implementations may set `extras`, `metadata` and `final_answer`. In tests of an implementation, a context
    needs two arguments; the others have the values of a call without options.

    Args:
        call_id: the id of the call in log records, events and internal errors.
        tool_name: the wire name of the tool.
        config: the configuration of the toolkit.
        meta: the protocol's request metadata, such as `_meta` of MCP. Empty by default.
        extras: values that the next call of the session sees. Empty by default.
        progress: is awaited by `report_progress`. The default is None: nobody wants reports.
        metadata: JSON values about the answer, for the application. Empty by default.
        secrets: the environment variables of `auth.secrets` in the spec, and their values.
        principal: who calls. None if neither the transport nor the application knows.
        session_id: the id of the conversation. None outside of a session.
        approval: what the user, or people with keys of their own, approved. None if nobody had to.
        info: the definition of the tool, whose version and deprecation log records have. Empty by default.
        ask: asks the user, for `elicit`. The default is None: nobody can be asked.
        headers: those of `--caller-header` that the request has, by name in lower case. Empty by default.

    Example:
        response = await CountTool().execute(CountRequest(text="a b"), ToolContext("1", "count"))
    """

    call_id: str
    tool_name: str
    config: ToolConfig = DEFAULT_CONFIG
    meta: Mapping[str, Any] = field(default_factory=dict)
    extras: MutableMapping[str, Any] = field(default_factory=dict)
    progress: Progress | None = field(default=None, repr=False)
    metadata: dict[str, Any] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    principal: str | None = None
    session_id: str | None = None
    approval: Approval | None = None
    info: Mapping[str, Any] = field(default_factory=dict, repr=False)
    ask: Elicit | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    clock: WorkClock | None = field(default=None, init=False, repr=False)  # None: a tool without `asks`
    final_by_tool: bool | None = field(default=None, init=False, repr=False)  # None: it did not decide
    loop: asyncio.AbstractEventLoop = field(init=False, repr=False)  # where `progress` is awaited
    began: float = field(default_factory=perf_counter, init=False, repr=False)  # monotonic seconds
    failure: CallFailure | None = field(default=None, init=False, repr=False)
    returned: Any = field(default=None, init=False, repr=False)  # the ToolResponse that the tool returned
    has_begun: bool = field(default=False, init=False, repr=False)  # the implementation was called

    @property
    def final_answer(self) -> bool:
        """True if this response is meant for the user as it is: as the spec says, unless the tool sets it.

        A failure is final only if the tool sets this before it raises a ToolError.
        """
        by_spec: bool = self.info.get("final_answer", False)
        return by_spec if self.final_by_tool is None else self.final_by_tool

    @final_answer.setter
    def final_answer(self, value: bool) -> None:
        self.final_by_tool = value

    @property
    def logger(self) -> logging.LoggerAdapter[Any]:
        """The configured logger; records carry `tool_name` and `call_id`, secrets of the spec are masked."""
        return CallLogger(self.config.logger or LOGGER, self.identity, list(self.secrets.values()))

    @property
    def identity(self) -> dict[str, Any]:
        """The fields by which records of the call are found."""
        fields = {"tool_name": self.tool_name, "call_id": self.call_id}
        if self.principal is not None:
            fields["principal"] = self.principal
        if self.session_id is not None:
            fields["session_id"] = self.session_id
        return fields

    @property
    def checkpoint(self) -> Checkpoint:
        """State that outlives the call: `.update(name, change, default)`, `.load(name, default)`."""
        from .checkpoint import Checkpoint  # for the few tools that keep state

        return Checkpoint(self.config.checkpoint, self.tool_name)

    def check_approval(self, preview: str | None) -> None:
        """Raise ChangedSinceConfirmedError if the user approved something else than `preview`.

        For `execute`, inside the transaction that does the work; `preview` describes what it is about to do,
        in the words of the tool's `preview` method. Does nothing if no confirmation was needed.
        """
        if self.approval is not None and self.approval.preview != preview:
            raise ChangedSinceConfirmedError

    def elicit(self, message: str, model: type[Model]) -> Awaitable[ElicitationResult[Model]]:
        """Ask the user, in the middle of an `async def execute`; the spec needs `asks: true`.

        Return an object with `action` ("accept", "decline" or "cancel") and `data`: an instance of `model` if
        the user has accepted, else None. The time limit does not run meanwhile.

        Args:
            message: the question, which the user sees above the form; at most 20,000 characters.
            model: a pydantic model of flat fields: texts, numbers, true or false, lists of given texts.

        Raises ConfirmationRequiredError where nobody can be asked, and InvalidRequestError if the second
        answer does not fit the model, either.
        """
        from .elicitation import UnusableQuestionError, elicit  # pydantic, for the few tools that ask

        if self.ask is None and not self.info.get("asks"):
            raise UnusableQuestionError(f"it needs `asks: true` in the spec of {self.tool_name}")
        return elicit(self.ask, message, model, tool_name=self.tool_name, clock=self.clock)

    def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> Awaitable[None]:
        """Report how far the work is, if the caller asked for progress.

        In an `async def`, await it. In a `def`, calling it is enough: it returns when the report has been
        sent. It never raises, and does nothing if the caller did not ask or has left.
        """
        send = self.progress
        if send is None:
            return _DONE
        report = _report(self, send, progress=progress, total=total, message=message)
        return _run_in_loop_of(self, report)


def response_metadata(call: ToolContext) -> dict[str, Any]:
    """Return what the metadata of every response of a tool has."""
    deprecated = call.info.get("deprecated")
    if deprecated is None:
        return {"call_id": call.call_id}
    return {"call_id": call.call_id, "deprecated": dict(deprecated)}


def _run_in_loop_of(call: ToolContext, report: Coroutine[Any, Any, None]) -> Awaitable[None]:
    """Run `report` in the call's event loop. Return at once in that loop, in a thread when it has ended."""
    import asyncio  # loaded with the first call

    try:
        running = asyncio.get_running_loop()
    except RuntimeError:
        running = None
    loop: asyncio.AbstractEventLoop | None = getattr(call, "loop", running)
    if loop is None or loop.is_closed():
        report.close()
        return _DONE
    if loop is running:
        task = loop.create_task(report)
        _sending.add(task)
        task.add_done_callback(_sending.discard)
        return task
    try:
        future = asyncio.run_coroutine_threadsafe(report, loop)
    except RuntimeError:  # the loop has just been closed
        report.close()
        return _DONE
    try:
        future.result(_REPORT_SECONDS)
    except (Exception, asyncio.CancelledError) as error:  # not in time, or its loop has ended
        future.cancel()
        kind = type(error).__name__
        LOGGER.info("a progress report of %s was not sent (call %s): %s", call.tool_name, call.call_id, kind)
    return _DONE


async def _report(
    call: ToolContext, send: Progress, *, progress: float, total: float | None, message: str | None
) -> None:
    from .isolation import run_async  # loaded with the first call

    text = well_formed(message) if isinstance(message, str) else message
    try:
        await run_async(send(progress, total, text), None, call.tool_name)
    except Exception as error:  # a caller that has left must not undo the work
        LOGGER.error(
            "reporting progress of %s failed (call %s)",
            call.tool_name,
            call.call_id,
            exc_info=without_text(error),
        )
