"""The fixtures that a project gives to its tests: a toolkit with data of its own, and snapshots of that data.

They are two functions in the file that `[test] fixtures` names, or else in `tests/toolgen_fixtures.py`. Each
gets a new folder, which is removed afterwards; both may be left out.
"""

from __future__ import annotations

import asyncio
import copy
import importlib.util
import inspect
import logging
import os
import sys
import tempfile
import time
import traceback
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import toolgen
from toolgen.base.suggestions import shortened
from toolgen.proof.instances.generator import example_value
from toolgen.runtime.context import Caller
from toolgen.runtime.definition.tool_definition import needs_people
from toolgen.runtime.errors import ToolError
from toolgen.runtime.settings import SettingError
from toolgen.testing.implementation_source import calls_http_api, has_implementation
from toolgen.testing.subject import (
    NO_STATE,
    Call,
    CallResult,
    Session,
    Subject,
    harm_to_api,
    harm_to_own_data,
)
from toolgen.testing.tool_under_test import ToolUnderTest

if TYPE_CHECKING:
    from pydantic import BaseModel

    from toolgen.runtime import Confirmation, Elicitation, Toolkit, ToolResponse
    from toolgen.runtime.confirmation.question import ShowApproval
    from toolgen.schema.document import JsonObject


_MODULE = "_toolgen_fixtures"


class FixtureError(Exception):
    """The fixtures cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Fixtures:
    """Functions of a folder. Without them, there is the default toolkit, and no state."""

    package: str  # the generated package
    make_toolkit: Callable[[Path], Toolkit] | None = None
    take_snapshot: Callable[[Path], Any] | None = None
    before: Callable[[str], None] = lambda name: None  # is called with the name of each before it is called
    seconds: list[float] = field(default_factory=list)  # that each of them took

    def toolkit(self, folder: Path) -> Toolkit:
        """Return the project's toolkit for one session. Raises FixtureError."""
        if self.make_toolkit is None:
            default: Toolkit = import_module(f"{self.package}.catalog").toolkit()
            return default
        toolkit = self._called(self.make_toolkit, folder)
        if not hasattr(toolkit, "call") or not hasattr(toolkit, "definitions"):
            raise FixtureError(f"toolgen_toolkit returned {type(toolkit).__name__}, not a Toolkit")
        return toolkit  # type: ignore[no-any-return]

    def snapshot(self, folder: Path) -> Any:
        """Return a snapshot of the state. Raises FixtureError."""
        assert self.take_snapshot is not None
        return self._called(self.take_snapshot, folder)

    def _called(self, function: Callable[[Path], Any], folder: Path) -> Any:
        name = getattr(function, "__name__", "the fixture")
        self.before(name)
        started = time.monotonic()
        try:
            return function(folder)
        except Exception as error:
            raise FixtureError(f"{name} failed with {type(error).__name__}: {error}") from error
        finally:
            self.seconds.append(time.monotonic() - started)


def load_fixtures(
    package: str, file: Path | None, before: Callable[[str], None] = lambda name: None
) -> Fixtures:
    """Import the fixtures of a project. Raises FixtureError if their module cannot be imported."""
    if file is None:
        return Fixtures(package)
    specification = importlib.util.spec_from_file_location(_MODULE, file)
    if specification is None or specification.loader is None:
        raise FixtureError(f"{file} is not a Python module")
    module = importlib.util.module_from_spec(specification)
    # Before it is executed: dataclasses look up the module of a class there.
    sys.modules[_MODULE] = module
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        raise FixtureError(f"{file} cannot be imported: {type(error).__name__}: {error}") from error
    functions = {name: getattr(module, name, None) for name in ("toolgen_toolkit", "toolgen_state")}
    for name, function in functions.items():
        if function is not None and not _takes_folder(function):
            raise FixtureError(f"{name} in {file} must be a function of one argument, a folder")
    return Fixtures(package, functions["toolgen_toolkit"], functions["toolgen_state"], before)


def _takes_folder(function: Any) -> bool:
    try:
        inspect.signature(function).bind(None)
    except (TypeError, ValueError):
        return False
    return not inspect.iscoroutinefunction(function)


_EXPLAINED = frozenset({"internal_error", "invalid_response", "not_ready"})
_SWITCH_SECONDS = 1e-5  # after which another thread runs
_MAX_DETAIL = 200  # characters
_TOOLGEN = Path(toolgen.__file__).parent  # editable installations are not in site-packages
_SETTLE_SECONDS = 0.02  # that a worker thread may need to end after its call was cancelled


class ToolkitSubject(Subject):
    """The tools of a project, with fresh data for each session if there are fixtures."""

    def __init__(
        self,
        fixtures: Fixtures,
        scopes: tuple[str, ...],
        before_call: Callable[[Call], None] = lambda _: None,
        *,
        has_people: bool = True,
    ) -> None:
        """`has_people`: people sign the calls of tools that need it; to make their keys takes time."""
        self.fixtures = fixtures
        self.scopes = scopes
        self.before_call = before_call
        self.has_state = fixtures.take_snapshot is not None
        self.has_fresh_data = fixtures.make_toolkit is not None
        self.has_people = has_people
        self.latest_state: Any = None

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """Begin a session in a new folder. Raises FixtureError."""
        with tempfile.TemporaryDirectory(prefix="toolgen-test-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            toolkit = self.fixtures.toolkit(folder)
            with _people_of(toolkit) if self.has_people else nullcontext() as sign:
                async with toolkit:
                    yield ToolkitSession(self, toolkit, folder, sign)

    def is_implemented(self, tool: ToolUnderTest) -> bool:
        """Return False if the project's module for the tool is missing or a stub. Imports no module."""
        return self.has_fresh_data or has_implementation(self.fixtures.package, tool.name)

    def reason_not_to_call(self, tool: ToolUnderTest) -> str:
        """Return how calls may do harm; empty if they do none."""
        if not self.has_fresh_data:
            return harm_to_own_data(tool)
        if tool.is_harmless:
            return ""
        with tempfile.TemporaryDirectory(prefix="toolgen-test-", ignore_cleanup_errors=True) as name:
            toolkit = self.fixtures.toolkit(Path(name))  # it may name an API for tests in the environment
            definition: Any = toolkit.definition_of(tool.name)
        operation = None if definition is None else definition.get("x-openapi")
        if operation is None or not calls_http_api(self.fixtures.package, tool.name):
            return ""
        return harm_to_api(operation)


class GivenSubject(ToolkitSubject):
    """A toolkit and snapshots that pytest fixtures of the project gave; all sessions share them."""

    def __init__(
        self, toolkit: Toolkit, take_snapshot: Callable[[], Any] | None, *, is_for_tests: bool
    ) -> None:
        """`is_for_tests`: a fixture made the toolkit; it is not the default one."""
        scopes = {
            scope for each in toolkit.definitions.values() for scope in each.get("auth", {}).get("scopes", ())
        }
        fixtures = Fixtures("", None, None if take_snapshot is None else lambda _: take_snapshot())
        super().__init__(fixtures, tuple(sorted(scopes)))
        self._toolkit, self._is_for_tests = toolkit, is_for_tests

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """Begin a session with the toolkit as it is."""
        with _people_of(self._toolkit) as sign:
            yield ToolkitSession(self, self._toolkit, Path(), sign)

    def is_implemented(self, tool: ToolUnderTest) -> bool:
        """Return True: calls show whether a fixture's tool is implemented."""
        return True

    def reason_not_to_call(self, tool: ToolUnderTest) -> str:
        """Return how calls may do harm; empty if they do none."""
        return "" if self._is_for_tests else harm_to_own_data(tool)


class ToolkitSession(Session):
    """Calls of one toolkit."""

    def __init__(
        self, subject: ToolkitSubject, toolkit: Toolkit, folder: Path, sign: ShowApproval | None
    ) -> None:
        self._subject, self._toolkit, self._folder, self._sign = subject, toolkit, folder, sign

    async def call(self, call: Call) -> CallResult:
        """Make a call through the call path of every adapter."""
        self._subject.before_call(call)
        with _logged() as details:
            return await self._call(call, details)

    async def concurrent_calls(self, calls: Sequence[Call]) -> list[CallResult]:
        """Make several calls at once, with threads that take turns as often as they can."""
        self._subject.before_call(calls[0])
        interval = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_SECONDS)
        try:
            with _logged() as details:
                return await asyncio.gather(*(self._call(call, details) for call in calls))
        finally:
            sys.setswitchinterval(interval)

    async def _call(self, call: Call, details: dict[str, str]) -> CallResult:
        chunks: list[Any] = []
        questions: list[str] = []
        reports: list[JsonObject] = []

        async def listen(chunk: Any) -> None:
            chunks.append(chunk)

        async def confirm(confirmation: Confirmation) -> bool:
            questions.append(confirmation.message)
            return call.consent in ("given", "outdated")

        async def show_approval(confirmation: Confirmation) -> bool:
            is_approved = await confirm(confirmation)
            return is_approved and self._sign is not None and await self._sign(confirmation) is True

        async def elicit(asked: Elicitation) -> Any:
            questions.append(asked.message)
            return _filled_form(asked.model) if call.consent in ("given", "outdated") else False

        async def progress(done: float, total: float | None, message: str | None) -> None:
            reports.append({"progress": done, "total": total, "message": message})

        caller = (_OutdatedCaller if call.consent == "outdated" else Caller)(
            confirm=None if call.consent == "nobody" else confirm,
            show_approval=None if call.consent == "nobody" else show_approval,
            elicit=None if call.consent == "nobody" else elicit,
            scopes=self._subject.scopes,
            listen=listen,
            progress=progress,
            max_page_bytes=call.max_page_bytes,
        )
        response = await self._toolkit._call(call.tool, copy.deepcopy(call.arguments), caller)
        answer = _answer(response, details)
        return replace(answer, chunks=tuple(chunks), questions=tuple(questions), progress=tuple(reports))

    async def cancelled_call(self, call: Call, turns: int) -> bool:
        """Make a call, and cancel it after some turns of the event loop."""
        self._subject.before_call(call)
        with _logged():
            task = asyncio.create_task(self._call(call, {}))
            for _ in range(turns):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            if task.cancelled():  # a `def` may still run in its thread
                await asyncio.sleep(_SETTLE_SECONDS)
        return task.cancelled()

    async def preview(self, call: Call) -> CallResult | None:
        """Return the preview of a call."""
        self._subject.before_call(call)
        with _logged() as details:
            response = await self._toolkit.preview(
                call.tool, copy.deepcopy(call.arguments), scopes=self._subject.scopes
            )
        return _answer(response, details)

    def state(self) -> Any:
        """Return a copy of the project's snapshot."""
        if not self._subject.has_state:
            return NO_STATE
        found = self._subject.fixtures.snapshot(self._folder)
        self._subject.latest_state = _copied(found, self._subject.latest_state)
        return self._subject.latest_state


def _copied(found: Any, before: Any) -> Any:
    """Return a copy of a snapshot, with all parts of the one before that are still equal."""
    if found == before:  # most calls change nothing, and copying takes longest
        return before
    if not isinstance(found, dict) or not isinstance(before, dict):
        return copy.deepcopy(found)
    return {key: _copied(value, before.get(key)) for key, value in found.items()}


@contextmanager
def _people_of(toolkit: Toolkit) -> Iterator[ShowApproval | None]:
    """Let people with test keys approve calls; None if no tool needs them. Raises FixtureError."""
    if not any(map(needs_people, toolkit.definitions.values())):
        yield None
        return
    from toolgen.testing.signing import people_with_test_keys  # of the extra `approval`

    try:
        with people_with_test_keys(toolkit) as approvals:
            yield approvals.sign_as_needed
    except SettingError as error:
        raise FixtureError(str(error)) from error


def _filled_form(model: type[BaseModel]) -> dict[str, Any]:
    """Return what a user who agrees fills in: the first example of a field, else yes or a realistic value."""
    schema = model.model_json_schema()
    fields = schema.get("properties", {}).items()
    yes = {name: True for name, field in fields if field.get("type") == "boolean"}
    given = {name: field["examples"][0] for name, field in fields if field.get("examples")}
    return {**(example_value(schema, seed=model.__name__) or {}), **yes, **given}


class _OutdatedCaller(Caller):
    """A caller who approved another preview than the tool makes when it acts: the data has changed since."""

    def approved_preview(self, preview: str | None) -> str | None:
        """Return a preview that the tool does not make."""
        return f"{preview} (outdated)"


def _answer(response: ToolResponse, details: dict[str, str]) -> CallResult:
    metadata = {key: value for key, value in response.metadata.items() if key not in ("call_id", "approval")}
    answer = CallResult(
        response.content,
        blocks=tuple(block.as_dict() for block in response.blocks),
        metadata=metadata,
        extras=dict(response.extras),
        note=details.pop("differs", ""),
    )
    if response.error is None:
        return answer
    code, detail = response.error.code, details.get(response.metadata.get("call_id", ""))
    return replace(
        answer,
        # a tool of an adopted server has the same code for a crash and for an error that it expects
        error=code if detail is None or code in _EXPLAINED else "internal_error",
        message=response.error.message,
        details=response.error.details,
        detail=_what_is_missing(response.error) or detail or "",
    )


def _what_is_missing(error: ToolError) -> str:
    """Return where to provide an injected value that is missing; empty for every other error."""
    if error.code != "missing_dependency" or not isinstance(error.details, dict):
        return ""
    name = error.details["name"]
    return f"add {name!r} to CONTEXT in the package of implementations, or to the context of toolgen_toolkit"


class _Details(logging.Handler):
    """Collects what the runtime logs about errors: exceptions with their places, faults of responses."""

    def __init__(self, found: dict[str, str]) -> None:
        super().__init__(logging.DEBUG)
        self._found = found  # by the id of the call

    def emit(self, record: logging.LogRecord) -> None:
        event, call_id = getattr(record, "event", ""), getattr(record, "call_id", "")
        if event == "differs":
            self._found[event] = " ".join(record.getMessage().split())
        if event == "failed" and record.levelno >= logging.ERROR:
            self._found[call_id] = ""
        if event != "detail" or (
            getattr(record, "code", "") not in _EXPLAINED and call_id not in self._found
        ):
            return
        error = record.exc_info[1] if record.exc_info else None
        with suppress(Exception):  # the text of an exception may raise
            if error is None:
                *_, text = record.getMessage().split("\n", 2)
            else:
                about = str(error).partition("\n    For further information")[0]  # a link of pydantic
                text = shortened(" ".join(f"{type(error).__name__}: {about}".split()), _MAX_DETAIL)
                text += _place_of(error)
            self._found[call_id] = shortened(" ".join(text.split()), 2 * _MAX_DETAIL)


def _place_of(error: BaseException) -> str:
    """Return the innermost place of an exception in the project's code."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not Path(frame.filename).is_relative_to(_TOOLGEN)]
    inside = [frame for frame in own if Path(frame.filename).is_relative_to(Path.cwd())] or own or frames
    return f", {os.path.relpath(inside[-1].filename)}:{inside[-1].lineno}" if inside else ""


@contextmanager
def _logged() -> Iterator[dict[str, str]]:
    """Yield a dict that gets what the runtime logs about faults of calls; other handlers get nothing."""
    found: dict[str, str] = {}
    logger = logging.getLogger("toolgen.runtime")
    before = (logger.handlers, logger.propagate, logger.level)
    logger.handlers, logger.propagate = [_Details(found)], False
    logger.setLevel(logging.DEBUG)
    try:
        yield found
    finally:
        logger.handlers, logger.propagate = before[:2]
        logger.setLevel(before[2])
