"""Toolkit: tools that are called by name, with their context, configuration and sessions."""

from __future__ import annotations

import copy
from collections.abc import (
    AsyncGenerator,
    Callable,
    Collection,
    Coroutine,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
)
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, Unpack, overload
from uuid import uuid4

from .call_options import CallerOptions, CallOptions, RenderedCallOptions, check_options
from .context import ANYBODY, DEFAULT_CONFIG, Caller, Progress, ToolConfig
from .definition.tool_definition import ToolDefinition, needs_people
from .errors import ToolError, UnknownToolError
from .implementations.registry import (
    Catalog,
    Registry,
    RegistryEntry,
    catalog_entries,
    entry_of,
    index_entries,
    load_context,
    load_tool,
    registry_of,
)
from .response import FormName, ResponseForm, ToolResponse
from .settings import SettingError, Settings
from .shared_state import SharedState
from .task import Task, TaskStarted, TaskStatus
from .text import nearest, quote
from .tool import BaseTool

if TYPE_CHECKING:
    from .approval.approvals import Approvals
    from .execution.environment import Environment
    from .rate_limits import RateLimits

Result = TypeVar("Result")
_ENDED: Final = object()  # no further items


class Toolkit:
    """Tools that are called by name. Safe to share between threads and event loops.

    Args:
        tools: instances of implementations. Empty by default.
        context: maps names or types that tools inject to values or factories, which may return context
            managers (see `toolgen.runtime.execution.injection`). Empty by default.
        config: logger, callback, checkpoint folder and settings. The default is `ToolConfig()`.

    Raises:
        ValueError: two tools have the same name or alias.
        SettingError: a setting is not valid.

    Example:
        async with Toolkit([Count()], context={"db": connect}) as toolkit:
            response = await toolkit.call("count", {"text": "a b"})
    """

    def __init__(
        self,
        tools: Iterable[BaseTool[Any, Any]] = (),
        *,
        context: Mapping[Any, Any] | None = None,
        config: ToolConfig | None = None,
    ) -> None:
        self._shared = SharedState(
            config or DEFAULT_CONFIG, self._call, lambda: {} if context is None else context
        )
        self._registry = self._shared.registry = registry_of(map(entry_of, tools))
        self._environment: Environment | None = None
        self._extras: MutableMapping[str, Any] | None = None  # None: no session
        self._session_id: str | None = None
        self._owner = True  # `close` closes the tools
        self.catalog: Catalog | None = None  # the argument of `from_catalog`

    @classmethod
    def from_catalog(
        cls, catalog: Any, *, context: Mapping[Any, Any] | None = None, config: ToolConfig | None = None
    ) -> Self:
        """Return a toolkit of a generated `catalog` module.

        Definitions and implementations are imported on first use. Without `context`, the mapping `CONTEXT` of
        the implementations package is used, if it has one.
        """
        toolkit = cls(context=context, config=config)
        toolkit.catalog = catalog
        entries = catalog_entries(catalog.TOOLS, partial(load_tool, catalog))
        toolkit._registry = toolkit._shared.registry = registry_of(entries)
        if context is None:
            toolkit._shared.context = partial(load_context, catalog)
        return toolkit

    @property
    def definitions(self) -> Mapping[str, ToolDefinition]:
        """Wire name → definition, in order. Aliases can be called, but are not listed."""
        return self._registry.current.definitions

    @property
    def config(self) -> ToolConfig:
        """The configuration of all calls."""
        return self._shared.config

    @property
    def settings(self) -> Settings:
        """The settings: those of the configuration, else of the environment variables."""
        return self._shared.settings

    @property
    def rate_limits(self) -> RateLimits:
        """The limits of calls."""
        return self._shared.services().admission.limits

    @property
    def tags(self) -> Mapping[str, tuple[str, ...]]:
        """Tag → the wire names of the tools that have it, both sorted."""
        found: dict[str, list[str]] = {}
        for name, definition in self.definitions.items():
            for tag in definition.get("tags", ()):
                found.setdefault(tag, []).append(name)
        return {tag: tuple(sorted(found[tag])) for tag in sorted(found)}

    @property
    def extras(self) -> Mapping[str, Any]:
        """The extras that the next call of this session will see. Empty outside of a session."""
        return self._extras or {}

    def __contains__(self, name: object) -> bool:
        return name in self._registry.current.by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self.definitions)

    def definition_of(self, name: str) -> ToolDefinition | None:
        """Return the definition of the tool with a wire name or alias; None if there is none."""
        entry = self._registry.current.by_name.get(name)
        return None if entry is None else entry.definition

    def get(self, name: str) -> BaseTool[Any, Any] | None:
        """Return the tool with a wire name or alias; None if there is none.

        Raises ToolError `not_implemented` for a listed tool without implementation, and what the
        implementation's module raises when it is imported.
        """
        entry = self._registry.current.by_name.get(name)
        return None if entry is None else entry.tool()

    def add(self, tool: BaseTool[Any, Any]) -> None:
        """Add a tool. Raises ValueError if one of its names is taken."""
        self._registry.add(entry_of(tool))

    def remove(self, name: str) -> None:
        """Remove the tool with a wire name or alias. Raises KeyError if there is none.

        Running calls continue. If the tool was set up, it is closed with the toolkit.
        """
        self._registry.remove(name)

    def replace(self, tools: Iterable[BaseTool[Any, Any]]) -> None:
        """Replace all tools at once. Raises ValueError if two of `tools` have the same name or alias.

        Listeners are called once. Instances that the toolkit had before stay as they are. Running calls
        continue, and tools that were set up are closed with the toolkit.
        """
        self._registry.replace(map(entry_of, tools))

    def on_change(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` after each `add`, `remove` and `replace`, in its thread.

        Return a function that removes it.
        """
        listeners = self._registry.listeners
        listeners.append(listener)
        return lambda: listeners.remove(listener) if listener in listeners else None

    def select(
        self,
        *,
        tags: Collection[str] | None = None,
        names: Collection[str] | None = None,
        predicate: Callable[[ToolDefinition], bool] | None = None,
    ) -> Toolkit:
        """Return a toolkit of the tools that have one of `tags` and one of `names`, and satisfy `predicate`.

        It shares instances, context and configuration. Adding or removing tools here does not change it.
        Raises KeyError for a name that is neither a wire name nor an alias.
        """
        by_name = self._registry.current.by_name
        wanted = None if names is None else {by_name[name].name for name in names}

        def choose(entry: RegistryEntry) -> bool:
            return (
                (wanted is None or entry.name in wanted)
                and (tags is None or not set(tags).isdisjoint(entry.definition.get("tags", ())))
                and (predicate is None or predicate(entry.definition))
            )

        selection = self._view()
        chosen = filter(choose, self._registry.current.entries.values())
        selection._registry = Registry(index_entries(chosen), self._registry.every)
        return selection

    def session(self, extras: Mapping[str, Any] | None = None, *, session_id: str | None = None) -> Toolkit:
        """Return the same tools for one conversation, whose calls see each other's `context.extras`.

        The first call sees `extras`. `session_id` continues a conversation of the application or of another
        process; the default is a new id. Tools added to either toolkit are in both.
        """
        session = self.carrying(dict(extras or {}))
        session._session_id = uuid4().hex if session_id is None else session_id
        return session

    def carrying(self, extras: MutableMapping[str, Any]) -> Toolkit:
        """Return the same tools for calls that share `extras` and have no session id.

        For clients without sessions: a new id for each request would make its confirmations those of others.
        """
        view = self._view()
        view._extras = extras
        return view

    def _view(self) -> Toolkit:
        view = copy.copy(self)
        view._environment, view._owner = None, False
        return view

    @overload
    async def call(self, name: str, arguments: Any, **options: Unpack[CallOptions]) -> ToolResponse: ...
    @overload
    async def call(
        self, name: str, arguments: Any, *, as_type: FormName, **options: Unpack[RenderedCallOptions]
    ) -> Any: ...
    async def call(
        self,
        name: str,
        arguments: Any,
        *,
        as_type: FormName | None = None,
        filter_empty_fields: bool = True,
        filter_metadata_fields: bool = True,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Call a tool by wire name or alias. Errors of caller and tool are in the response, never raised.

        Cancellation, and ConfirmationPending raised by the option `confirm`, propagate.

        Args:
            name: a wire name or alias.
            arguments: a JSON object; None for an empty one.
            as_type: the form of the result, as of `ToolResponse.render`. The default is the response itself.
            filter_empty_fields: with `as_type`, omit fields that are None or empty.
            filter_metadata_fields: with `as_type`, omit `metadata`.
            **options: see `toolgen.runtime.call_options.CallOptions`.
        """
        if as_type is not None:
            form: Any = ResponseForm(as_type)  # before anything is done
            response = await self.call(name, arguments, **options)
            return response.render(
                form, filter_empty_fields=filter_empty_fields, filter_metadata_fields=filter_metadata_fields
            )
        return await self._call(name, arguments, Caller(**options) if options else ANYBODY)

    def _call(self, name: str, arguments: Any, caller: Caller) -> Coroutine[Any, Any, ToolResponse]:
        """Return the coroutine of a call, or of its refusal if the tool is unknown or does not load."""
        entry = self._registry.current.by_name.get(name)
        try:
            if entry is None:
                raise _unknown_tool(name, self._registry.current.by_name)
            prepared = entry.prepared or entry.prepare()
            environment = self._environment or self._make_environment()
        except Exception as error:  # there is no such tool, or it does not load
            from .execution.error_mapping import refuse_call  # the first call loads what calls need

            return refuse_call(
                name,
                error,
                tool_name=None if entry is None else entry.name,
                definition=None if entry is None else entry.known_definition,
                arguments=arguments,
                caller=caller,
                config=self._shared.config,
                session_id=self._session_id,
            )
        if caller.context:
            environment = environment.plus(caller.context)
        return prepared.answer(arguments, caller, environment)

    async def submit(self, name: str, arguments: Any, **options: Unpack[CallOptions]) -> Task | ToolResponse:
        """Call a tool like `call`, but return a task at once if a worker runs the call.

        That is so for a tool with `background` where TOOLGEN_TASK_QUEUE is set. Otherwise, and for a call
        that is refused, return the response.

        Example:
            started = await toolkit.submit("report", {"year": 2026}, principal="ann")
            if isinstance(started, Task):
                response = await toolkit.wait_for(started, principal="ann")
        """
        check_options("submit", options, CallOptions)
        try:
            return await self._call(name, arguments, Caller(**options, as_task=True))
        except TaskStarted as started:
            return started.task

    async def task(self, task_id: str, *, principal: str | None = None) -> TaskStatus | None:
        """Return how far a task is; None if there is none with the id, or it is another principal's.

        Raises `toolgen.runtime.stores.store.StoreError` if the queue's store fails.
        """
        tasks = self._shared.services().tasks
        return None if tasks is None else await tasks.status(task_id, principal)

    async def wait_for(
        self, task: Task, *, principal: str | None = None, progress: Progress | None = None
    ) -> ToolResponse:
        """Return the response of a task when it has ended; `progress` gets what the tool reports.

        Raises RuntimeError without a queue, StoreError if the queue's store is away for a minute.
        """
        tasks = self._shared.services().tasks
        if tasks is None:
            raise RuntimeError("TOOLGEN_TASK_QUEUE is not set: there are no tasks")
        return await tasks.wait(task, principal, progress)

    async def cancel_task(self, task_id: str, *, principal: str | None = None) -> bool:
        """Cancel a task; False if there is none, or it is another principal's. Raises StoreError."""
        tasks = self._shared.services().tasks
        return tasks is not None and await tasks.cancel(task_id, principal)

    async def work(self, on_start: Callable[[], object] = lambda: None) -> int | None:
        """Run queued tasks until SIGTERM or SIGINT, and return that signal, as `toolgen worker` does.

        `on_start` is called when the worker takes tasks. Raises SettingError if no queue outside of this
        process is configured.
        """
        from .background.tasks import SaqQueue  # only a worker takes from a queue

        settings = self.settings
        tasks = self._shared.services().tasks
        if tasks is None or not isinstance(tasks.queue, SaqQueue):
            raise SettingError("a worker needs TOOLGEN_TASK_QUEUE: redis://host:port")
        return await tasks.queue.work(tasks.execute, on_start, at_once=settings.threads, grace=settings.grace)

    async def preview(self, name: str, arguments: Any, **options: Unpack[CallerOptions]) -> ToolResponse:
        """Return a preview of a call as the content of a response. Nothing is asked or executed.

        The content is the text or the whole response that the tool's `preview` method returns. The error is
        `not_implemented` for a tool whose spec has no `confirm.preview`, else as for `call`.
        """
        check_options("preview", options, CallerOptions)
        return await self._call(name, arguments, Caller(**options, preview=True))

    async def decline(self, confirmation_token: str, *, principal: str | None = None) -> bool:
        """Invalidate the token of a question that the user has answered with no. Nothing is executed.

        Return False for a token that is not valid, has been used, or belongs to another principal or session.
        Raises `toolgen.runtime.stores.store.StoreError` if the store fails.
        """
        # the first call loads what calls need
        from .confirmation.question import record_decision
        from .confirmation.tokens import digest_of_holder

        environment = self._environment or self._make_environment()
        holder = digest_of_holder(principal, environment.session_id)
        found = await environment.confirmations.redeem(confirmation_token, holder)
        record_decision(
            found.outcome if found.approved is None else "declined",
            "callback" if found.approved is None else found.approved.way,
            question_id=found.question_id,
            principal=principal,
            session_id=environment.session_id,
        )
        return found.approved is not None

    @property
    def approvals(self) -> Approvals | None:
        """The approvals of people; None if no tool has `proof: person`. Raises SettingError."""
        return self._shared.approvals() if any(map(needs_people, self.definitions.values())) else None

    def use_approvals(self, approvals: Approvals | None) -> Approvals | None:
        """Replace the approvals of people, for tests; None: by those of the settings. Return those before."""
        return self._shared.use_approvals(approvals)

    def use_keys(self, settings: Settings) -> None:
        """Use the keys of `settings` for confirmations, if the toolkit has keys. Raises SettingError."""
        if settings.confirmation_key is not None:
            from .confirmation.tokens import parse_keys  # of servers with keys

            self._shared.services().confirmations.use_keys(parse_keys(settings.confirmation_key))

    def stream(self, name: str, arguments: Any, **options: Unpack[CallOptions]) -> AsyncGenerator[Any, None]:
        """Call a tool; yield each chunk of its result as it arrives, a JSON value, and last the ToolResponse.

        Takes the options of `call` except `listen`. For a result that is not a stream, only the response is
        yielded. Closing the generator (`contextlib.aclosing`) cancels the tool, closes its own generator and
        releases its injected values. The tool runs at most 64 chunks ahead; its time limit includes waiting.
        """
        from .execution.streams import pump  # the first call loads what calls need

        if "listen" in options:
            raise TypeError("stream() got an unexpected keyword argument 'listen'")
        check_options("stream", options, CallOptions)
        return pump(lambda listen: self.call(name, arguments, **(options | {"listen": listen})))

    @overload
    def call_sync(self, name: str, arguments: Any, **options: Unpack[CallOptions]) -> ToolResponse: ...
    @overload
    def call_sync(
        self, name: str, arguments: Any, *, as_type: FormName, **options: Unpack[RenderedCallOptions]
    ) -> Any: ...
    def call_sync(self, name: str, arguments: Any, **options: Any) -> Any:
        """Call a tool from synchronous code, with the options and the result of `call`.

        Raises RuntimeError as `run_sync` does.
        """
        return self.run_sync(lambda: self.call(name, arguments, **options))

    def stream_sync(
        self, name: str, arguments: Any, **options: Unpack[CallOptions]
    ) -> Generator[Any, None, None]:
        """Yield from synchronous code what `stream` yields: each chunk as it arrives, last the ToolResponse.

        Closing the generator (`contextlib.closing`) cancels the tool, and so does leaving it by an exception.
        Raises RuntimeError as `run_sync` does.
        """
        return self._iterate(self.stream(name, arguments, **options))

    def _iterate(self, items: AsyncGenerator[Any, None]) -> Generator[Any, None, None]:
        """Yield the items of an async generator that runs in the event loop of synchronous calls."""
        from asyncio import Lock  # with the first call

        step = Lock()  # an interrupted step ends before the generator is closed

        async def take() -> Any:
            async with step:
                return await anext(items, _ENDED)

        async def close() -> None:
            async with step:
                await items.aclose()

        try:
            while (item := self.run_sync(take)) is not _ENDED:
                yield item
        finally:
            self.run_sync(close)

    def run_sync(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Await `work()` in the event loop of synchronous calls, and return its result.

        Can be called inside and outside of a running event loop, from any thread. The loop belongs to the
        toolkit: it runs in a daemon thread until `close_sync` or `close`, so that connections and set-up last
        from one call to the next. A running event loop is blocked until the work has ended. KeyboardInterrupt
        cancels the work. Raises RuntimeError inside an async tool that was itself called by `run_sync` or
        `call_sync`.
        """
        return self._shared.loop().run(work)

    async def close(self) -> None:
        """Close every tool that was set up. Has no effect on a session or a selection."""
        if not self._owner:
            return
        loop = self._shared.running_loop()
        if loop is None:
            await self._shared.close()
        else:  # the tools were set up in this loop
            from asyncio import wrap_future  # loaded by the calls before

            await wrap_future(loop.submit(self._shared.close))
            loop.stop(wait=False)

    def close_sync(self) -> None:
        """Close the toolkit from synchronous code. Running calls are cancelled."""
        if not self._owner:
            return
        self.run_sync(self._shared.close)
        self._shared.loop().stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_sync()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _make_environment(self) -> Environment:
        environment = self._shared.environment()
        if self._extras is not None:
            environment = replace(environment, extras=self._extras, session_id=self._session_id)
        self._environment = environment
        return self._environment


def _unknown_tool(name: str, entries: Mapping[str, RegistryEntry]) -> ToolError:
    near = nearest(name, list(entries))
    hint = "" if near is None else f" Did you mean {quote(entries[near].name)}?"
    return UnknownToolError(f"There is no tool called {quote(name)}.{hint}")
