"""One adapter class for every provider: read a tool call, call a toolkit, write the message to send back.

Generated modules import this one. It imports the rest of the runtime on the first call.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack
from weakref import WeakKeyDictionary

from toolgen.runtime.call_options import AdapterCallOptions, AdapterOptions, toolkit_options
from toolgen.schema.document import JsonObject

if TYPE_CHECKING:
    from toolgen.runtime.confirmation.question import Confirm, ConfirmationPending
    from toolgen.runtime.definition.tool_definition import ToolDefinition
    from toolgen.runtime.errors import ToolError
    from toolgen.runtime.response import ToolResponse  # with the first call
    from toolgen.runtime.toolkit import Toolkit

    from .published_tools import ProviderTool


_ALTERNATIVES = ("choices", "candidates")  # fields of a response whose first item is the model's answer


class Answer(NamedTuple):
    """The answer to a tool call: the `message` to send back, and the `response` of the tool."""

    message: JsonObject
    response: ToolResponse


class ProviderCall(NamedTuple):
    """A tool call of a model."""

    id: str | None
    name: str  # the published name, or one that the model made up
    arguments: Any
    write: Callable[[ToolResponse], JsonObject]  # returns the message to send back
    error: ToolError | None = None  # if set, it is the answer and no tool is called


class Provider(NamedTuple):
    """How a provider's API represents calls, results and definitions.

    `read` returns a call, an SDK's object or a dict, as a ProviderCall; it raises TypeError for anything
    else. `is_call` recognises a call among the parts of a message, and `fields` lead from a message or a
    response to these parts. `module_names` returns the definitions for requests by their names in the
    generated module.
    """

    target: str
    read: Callable[[Any], ProviderCall]
    is_call: Callable[[Any], bool]
    fields: Sequence[str]
    module_names: Callable[[Sequence[ProviderTool]], Mapping[str, Any]]

    def find(self, value: Any) -> list[Any]:
        """Return the calls in `value`: a call, a list of items, or an object with either of them in a field.

        Items that are not calls are ignored. Raises TypeError for anything else.
        """
        if value is None:
            return []
        if isinstance(value, list | tuple):
            return [item for item in value if self.is_call(item)]
        if self.is_call(value):
            return [value]
        for field in self.fields:
            if field in value if isinstance(value, Mapping) else hasattr(value, field):
                inner = get(value, field)
                # a request for several answers has several choices; the application uses the first one
                if field in _ALTERNATIVES:
                    inner = inner[0] if inner else None
                return [] if isinstance(inner, str) else self.find(inner)
        if isinstance(get(value, "role"), str):
            return []  # a message without calls
        raise TypeError(f"expected tool calls, or a message with tool calls, not {type(value).__name__}")

    def tools(self, definitions: Mapping[str, ToolDefinition]) -> list[ProviderTool]:
        """Return the tools as they are published. Raises ValueError if two have the same name."""
        from .published_tools import provider_tools  # 24 ms, with the first list or call

        return provider_tools(definitions, self.target)


class ConfirmationsPending(Exception):  # noqa: N818  not an error
    """Some of several calls wait for the user; the others are answered.

    `outcomes` has an Answer or the ConfirmationPending of `confirm` for each call, in their order.
    """

    def __init__(self, outcomes: Sequence[Answer | ConfirmationPending]) -> None:
        self.outcomes = list(outcomes)
        waiting = sum(not isinstance(each, Answer) for each in outcomes)
        super().__init__(f"{waiting} of {len(self.outcomes)} calls wait for the user's confirmation")


class ProviderAdapter:
    """Answers the tool calls of one provider's models.

    Args:
        provider: the name of a module in this package with a constant PROVIDER: "anthropic", "bedrock",
            "gemini" or "openai". It is imported on first use.
        catalog: a generated `catalog` module, whose default toolkit answers calls without a toolkit. The
            default is None: each call needs a toolkit.

    The methods share these arguments:
        toolkit: the tools; None for the default toolkit of `catalog`.
        confirm: asks the user. Without it, the tool's `on_unsupported` decides.
        **options: see `toolgen.runtime.call_options.AdapterCallOptions`.

    Example:
        message = await ProviderAdapter("openai").execute(tool_call, toolkit)
    """

    def __init__(self, provider: str, catalog: Any = None) -> None:
        self._name, self._catalog = provider, catalog
        self._published: _PublishedTools | None = None  # those of the last call

    @cached_property
    def provider(self) -> Provider:
        """The provider, imported on first use."""
        found: Provider = import_module(f"{__package__}.{self._name}").PROVIDER
        return found

    async def execute(
        self,
        call: object,
        toolkit: Toolkit | None = None,
        confirm: Confirm | None = None,
        **options: Unpack[AdapterCallOptions],
    ) -> dict[str, Any]:
        """Answer a call, an SDK's object or a dict, with the message to send back.

        Mistakes of the model and failures of the tool are in the message, for the model to correct.
        Raises TypeError for anything but a tool call, and ConfirmationPending if `confirm` does.
        """
        return (await self.answer(call, toolkit, confirm, **options)).message

    async def answer(
        self,
        call: object,
        toolkit: Toolkit | None = None,
        confirm: Confirm | None = None,
        **options: Unpack[AdapterCallOptions],
    ) -> Answer:
        """Like `execute`, with the response beside the message: `answer.response.final_answer`, `.extras`."""
        if not isinstance(call, ProviderCall):
            call = self.provider.read(call)
        request, tools = self._prepared(call, self._toolkit(toolkit), options)
        if request.error is not None:
            return _refused(request)
        response = await tools.call(request.name, request.arguments, **toolkit_options(options, confirm))
        return Answer(request.write(response), response)

    async def stream(
        self,
        call: object,
        toolkit: Toolkit | None = None,
        confirm: Confirm | None = None,
        **options: Unpack[AdapterCallOptions],
    ) -> AsyncGenerator[Any, None]:
        """Like `answer`, but yield each chunk of a streamed result as it arrives, and last the Answer.

        Closing the generator (`contextlib.aclosing`) cancels the call.
        """
        request, tools = self._prepared(self.provider.read(call), self._toolkit(toolkit), options)
        if request.error is not None:
            yield _refused(request)
            return
        from toolgen.runtime.response import ToolResponse  # the first call loads what calls need

        listen = options.pop("listen", None)
        items = tools.stream(request.name, request.arguments, **toolkit_options(options, confirm))
        try:
            async for item in items:
                if isinstance(item, ToolResponse):
                    yield Answer(request.write(item), item)
                    continue
                if listen is not None:
                    await listen(item)
                yield item
        finally:
            await items.aclose()

    async def run(
        self,
        calls: object,
        toolkit: Toolkit | None = None,
        confirm: Confirm | None = None,
        *,
        confirmation_tokens: Mapping[str, str] | None = None,
        **options: Unpack[AdapterOptions],
    ) -> list[dict[str, Any]]:
        """Answer several calls at once; return the messages to send back, in the order of the calls.

        `calls` is a list of calls, a message or response of the SDK that contains calls, or None; other items
        are ignored. The user is asked one question at a time. `confirmation_tokens` maps call ids to tokens.
        Raises ConfirmationsPending if `confirm` leaves calls unanswered, after the others are answered.
        """
        answers = await self.answer_all(
            calls, toolkit, confirm, confirmation_tokens=confirmation_tokens, **options
        )
        return [answer.message for answer in answers]

    async def answer_all(
        self,
        calls: object,
        toolkit: Toolkit | None = None,
        confirm: Confirm | None = None,
        *,
        confirmation_tokens: Mapping[str, str] | None = None,
        **options: Unpack[AdapterOptions],
    ) -> list[Answer]:
        """Like `run`, with the response beside each message."""
        found = [self.provider.read(each) for each in self.provider.find(calls)]
        tools, tokens = self._toolkit(toolkit), confirmation_tokens or {}
        import asyncio  # the first call loads what calls need

        from toolgen.runtime.confirmation.question import ConfirmationPending

        lock = asyncio.Lock()  # the user is asked one question at a time
        if confirm is not None:
            confirm = _one_at_a_time(confirm, lock)
        if (elicit := options.get("elicit")) is not None:
            options["elicit"] = _one_at_a_time(elicit, lock)
        work = [
            self.answer(each, tools, confirm, **options, confirmation_token=tokens.get(each.id or ""))
            for each in found
        ]
        outcomes: list[Any] = await asyncio.gather(*work, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException) and not isinstance(outcome, ConfirmationPending):
                raise outcome
        if not all(isinstance(each, Answer) for each in outcomes):
            raise ConfirmationsPending(outcomes)
        return outcomes

    def definitions(self) -> Mapping[str, Any]:
        """Return what the generated module has for requests, by name.

        Raises TypeError for an adapter without a catalog.
        """
        if self._catalog is None:
            raise TypeError("only the adapter of a generated module has definitions")
        return self.provider.module_names(self.provider.tools(self._catalog.TOOLS))

    async def close(self) -> None:
        """Close the catalog's default toolkit, which other adapters share. The next call creates one."""
        if self._catalog is not None:
            await self._catalog.close()

    def _toolkit(self, given: Toolkit | None) -> Toolkit:
        if given is None and self._catalog is None:
            raise TypeError("give a toolkit with the call: only generated modules have a default one")
        toolkit: Toolkit = self._catalog.default_toolkit() if given is None else given
        return toolkit

    def _prepared(
        self, call: ProviderCall, toolkit: Toolkit, options: AdapterCallOptions
    ) -> tuple[ProviderCall, Toolkit]:
        """Return `call` as the author has described the tool, and the session that answers it.

        The call has the tool's wire name, and arguments for the author's schema. `options` lose `session`.
        """
        from .published_tools import published as published_schema  # with the first call
        from .published_tools import wire_names

        tools, definitions = session_of(toolkit, options.pop("session", None)), toolkit.definitions
        published = self._published
        if published is None or published.definitions is not definitions:
            names = wire_names(definitions, self.provider.target)
            published = self._published = _PublishedTools(definitions, names, {})
        name = published.names.get(call.name, call.name)
        definition = toolkit.definition_of(name)
        if definition is not None and name not in published.restorers:
            published.restorers[name] = published_schema(definition, self.provider.target).restore()
        restore = published.restorers.get(name)
        try:
            arguments = call.arguments if restore is None else restore(call.arguments)
        except RecursionError:  # nested more deeply than arguments may be: the call refuses them
            arguments = call.arguments
        return call._replace(name=name, arguments=arguments), tools


class _PublishedTools(NamedTuple):
    """The tools of one set of definitions, as one target publishes them."""

    definitions: Mapping[str, ToolDefinition]
    names: Mapping[str, str]  # published name → wire name
    restorers: dict[str, Callable[[Any], Any] | None]
    """Functions that undo the dialect on arguments, by wire name, from the first call. None: they stay."""


def get(holder: Any, key: str) -> Any:
    """Return a field of an SDK's object or of a dict; None if it has no such field."""
    return holder.get(key) if isinstance(holder, Mapping) else getattr(holder, key, None)


def identifier(call: Any, key: str) -> str:
    """Return the id that the answer refers to. Raises TypeError if the call has none."""
    value = get(call, key)
    if not isinstance(value, str):
        raise TypeError(f"the tool call has no {key!r} to answer to")
    return value


def as_plain_data(value: Any) -> Any:
    """Return an SDK's object as a dict, anything else unchanged."""
    dump = getattr(value, "model_dump", None)
    return value if dump is None else dump(mode="json", by_alias=True, exclude_unset=True)


def _refused(call: ProviderCall) -> Answer:
    from toolgen.runtime.response import ToolResponse  # with the first call

    response = ToolResponse(call.name, False, error=call.error)
    return Answer(call.write(response), response)


_SESSIONS: WeakKeyDictionary[Toolkit, dict[str, Toolkit]] = WeakKeyDictionary()
"""Of all adapters, by the application's ids of conversations, the least recently used first."""
_LOCK = Lock()


def session_of(toolkit: Toolkit, session_id: str | None) -> Toolkit:
    """Return the session of `toolkit` with this id, created on first use; `toolkit` itself for None.

    With more than `settings.sessions`, the least recently used one is forgotten. Raises TypeError for an id
    that is not a str.
    """
    if session_id is None:
        return toolkit
    if not isinstance(session_id, str):
        raise TypeError(f"a session is the id of a conversation, a str, not {type(session_id).__name__}")
    with _LOCK:
        sessions = _SESSIONS.setdefault(toolkit, {})
        known = sessions.pop(session_id, None)
        found = sessions[session_id] = toolkit.session(session_id=session_id) if known is None else known
        if len(sessions) > toolkit.settings.sessions:
            del sessions[next(iter(sessions))]
    return found


def _one_at_a_time(ask_user: Any, lock: Any) -> Any:
    """Return a `confirm` or an `elicit` that waits until another question has been answered."""
    from toolgen.runtime.isolation import called  # 21 ms, for calls that ask the user

    async def ask(question: Any) -> Any:
        async with lock:
            return await called(ask_user, question)

    return ask
