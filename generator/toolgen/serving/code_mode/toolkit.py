"""Code mode: the tools of a toolkit as functions of scripts, and the three tools in place of all of them."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from time import monotonic
from typing import Any, Final

import mcp_types as types

from toolgen.compile.stubs.catalogue import catalogue_types, function_names
from toolgen.compile.stubs.printed import print_stubs
from toolgen.runtime.confirmation.question import Confirmation, ConfirmationPending
from toolgen.runtime.context import ToolContext
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.elicitation import Elicitation
from toolgen.runtime.errors import ConfirmationRequiredError, DeclinedError, QuestionCancelledError, ToolError
from toolgen.runtime.isolation import WorkClock
from toolgen.runtime.tool import BaseTool
from toolgen.runtime.tool_search import SearchedTool, ToolSearch
from toolgen.runtime.toolkit import Toolkit
from toolgen.serving.auth.grant import NOTHING, grant_of, headers_of, scopes_of
from toolgen.serving.confirm import ask_by_form
from toolgen.serving.current_call import answering, current_call
from toolgen.serving.held_questions import Exchange, Requester

from .script import Sandbox, ScriptEnd, ScriptFailedError, ScriptStoppedError


@dataclass(frozen=True)
class Functions:
    """The functions of some definitions."""

    definitions: Mapping[str, ToolDefinition]  # by wire name
    _renamed: dict[str, Mapping[str, str]] = field(default_factory=dict, init=False)  # by wire name

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Return the name of each function by its tool's wire name."""
        return function_names(self.definitions.keys())

    @cached_property
    def tools(self) -> Mapping[str, str]:
        """Return the wire name of each function's tool."""
        return {function: tool for tool, function in self.names.items()}

    @cached_property
    def _search(self) -> ToolSearch:
        return ToolSearch(
            SearchedTool(name, each["description"], each["input_schema"], title=each.get("title"))
            for name, each in self.definitions.items()
        )

    def tool_of(self, name: str) -> str | None:
        """Return the wire name of the tool that a function or a tool is called; None if there is none."""
        return self.tools.get(name, name if name in self.definitions else None)

    def find(self, text: str, limit: int, allowed: Collection[str]) -> dict[str, str]:
        """Return the functions of `allowed` tools for a task, the best first, with the first line of each."""
        found = self._search.find(text, len(self.definitions))
        tools = [name for name in found if name in allowed][:limit]
        return {self.names[tool]: _first_line(self.definitions[tool]) for tool in tools}

    def arguments_of(
        self, tool: str, positional: tuple[Any, ...], named: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Return what a call of a function means to its tool.

        Parameters have the names of the stubs, or those on the wire. All in one dict will do. Raises
        TypeError for other positional arguments.
        """
        if len(positional) == 1 and not named and isinstance(positional[0], dict):
            return positional[0]
        if positional:
            raise TypeError(f"{self.names[tool]}() takes keyword arguments only")
        wire = self._parameters(tool)
        return {wire.get(name, name): value for name, value in named.items()}

    def _parameters(self, tool: str) -> Mapping[str, str]:
        """Return the name on the wire of each parameter that is called otherwise."""
        if tool not in self._renamed:
            (types,) = catalogue_types([self.definitions[tool]], functions=self.names).tools
            self._renamed[tool] = {name: wire for wire, name in types.parameters.items() if name != wire}
        return self._renamed[tool]

    def described(self, tools: Collection[str]) -> str:
        """Return the stubs of tools."""
        return print_stubs([self.definitions[tool] for tool in tools], functions=self.names).text

    def close(self) -> None:
        """Free the memory of the search."""
        if "_search" in self.__dict__:
            self._search.close()


def _first_line(definition: ToolDefinition) -> str:
    return next((line.strip() for line in definition["description"].splitlines() if line.strip()), "")


TOTAL_SECONDS: Final = 300.0  # of all calls of a script, without the time that users take
QUESTIONS: Final = 10  # to the user, of a script
_ENDING: Final = (ConfirmationRequiredError.code, DeclinedError.code, QuestionCancelledError.code)
"""Errors after which a script does not go on: it must not ask again and again, nor act as if it had."""


@dataclass(slots=True)
class ScriptCalls:
    """The calls of one script.

    Attributes:
        toolkit: a session of the tools, whose calls see each other's extras.
        functions: the functions of its tools.
        exchange: where questions to the user go, and the request that came last: its scopes count.
    """

    toolkit: Toolkit
    functions: Functions
    exchange: Exchange
    _left: float = field(default_factory=lambda: TOTAL_SECONDS)
    _clock: WorkClock = field(default_factory=WorkClock)  # of the current call
    _questions: int = 0

    async def run(self, name: str, positional: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call a function. Raises ToolError, TypeError and ScriptEnd."""
        tool = self.functions.tools[name]
        arguments = self.functions.arguments_of(tool, positional, named)
        self._clock = WorkClock()
        try:
            async with self._clock.limit(monotonic() + max(self._left, 0)):
                return await self._answer(tool, arguments)
        except TimeoutError:
            raise ScriptEnd(f"Its calls took more than {TOTAL_SECONDS:g} seconds.") from None
        finally:
            self._left = self._clock.left()

    async def _answer(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        confirms = "confirm" in self.functions.definitions[tool]
        params = types.CallToolRequestParams(name=tool, arguments=dict(arguments))
        requester = self.exchange.requester
        grant = NOTHING if requester.request is None else grant_of(requester.request, self.toolkit.settings)
        # what its tool notes is not about `run_code`
        with nullcontext() if requester.request is None else answering(requester.request, params):
            try:
                response = await self.toolkit.call(
                    tool,
                    arguments,
                    # never None for a tool that asks: it might then act, by `on_unsupported: allow`
                    confirm=self._confirm if confirms else None,
                    elicit=self._elicit,
                    scopes=grant.scopes,
                    principal=grant.principal,
                    headers=headers_of(requester.request),
                )
            except ConfirmationPending:  # the tool asks by its result, and takes the answer in another call
                raise ScriptEnd(f"{tool} asks the user something that a script cannot answer.") from None
        error = response.error
        if error is not None and error.code in _ENDING:
            raise ScriptEnd(f"{tool}: {error.message} The script ends here.")
        if error is not None:
            raise error
        if response.content is None and response.blocks:
            return [block.as_text() for block in response.blocks]
        return response.content

    async def _confirm(self, asked: Confirmation) -> bool:
        if not self.exchange.requester.can_ask:
            raise ConfirmationRequiredError(
                "This call needs the user's confirmation, and the user cannot be asked here."
            )
        with self._waiting():
            return await ask_by_form(self.exchange, asked)

    async def _elicit(self, asked: Elicitation) -> Any:
        elicit = self.exchange.elicit
        if elicit is None:
            raise ConfirmationRequiredError("The call has to ask the user, who cannot be asked here.")
        with self._waiting():
            return await elicit(asked)

    def _waiting(self) -> AbstractContextManager[None]:
        """Count a question, and stop the time of the script until it is answered."""
        self._questions += 1
        if self._questions > QUESTIONS:
            raise ConfirmationRequiredError(f"The script has asked the user {QUESTIONS} times.")
        return self._clock.stopped()


_DEFINITIONS: Final[dict[str, Any]] = tomllib.loads(
    files("toolgen.serving.code_mode").joinpath("tools.toml").read_text("utf-8")
)


class UnknownFunctionError(ToolError):
    """There is no such function, or the caller may not call it."""

    code = "unknown_function"
    description = "There is no such function."
    hint = "Find functions with search_tools."


class _Tools:
    """The tools behind code mode."""

    def __init__(self, toolkit: Toolkit) -> None:
        self.toolkit = toolkit
        self._functions: Functions | None = None

    def functions(self) -> Functions:
        """Return the functions of the tools that there are now."""
        definitions = self.toolkit.definitions
        if self._functions is None or self._functions.definitions is not definitions:
            if self._functions is not None:
                self._functions.close()
            self._functions = Functions(definitions)
        return self._functions

    def allowed(self) -> set[str]:
        """Return the wire names of the tools that the caller of the current request may call."""
        call = current_call()
        listed = None if call is None else grant_of(call.request, self.toolkit.settings).listed
        definitions = self.functions().definitions
        return {name for name, each in definitions.items() if listed is None or scopes_of(each) <= listed}


class _CodeModeTool(BaseTool[dict[str, Any], Any]):
    """A tool that works on the tools behind code mode."""

    def __init__(self, tools: _Tools) -> None:
        self._tools = tools


class SearchTools(_CodeModeTool):
    """Find functions by what the user wants."""

    definition = _DEFINITIONS["search_tools"]

    async def execute(self, request: dict[str, Any], context: ToolContext) -> Any:
        """Search."""
        found = self._tools.functions().find(request["text"], request.get("limit", 10), self._tools.allowed())
        return {"functions": found}


class DescribeTools(_CodeModeTool):
    """Describe functions as stubs."""

    definition = _DEFINITIONS["describe_tools"]
    errors = (UnknownFunctionError,)

    async def execute(self, request: dict[str, Any], context: ToolContext) -> Any:
        """Describe."""
        functions, allowed = self._tools.functions(), self._tools.allowed()
        found = {name: functions.tool_of(name) for name in request["names"]}
        unknown = [name for name, tool in found.items() if tool not in allowed]
        if unknown:
            raise UnknownFunctionError(f"There is no function {', '.join(unknown)}.")
        return functions.described({tool for tool in found.values() if tool is not None})


class RunCode(_CodeModeTool):
    """Run a script that calls functions."""

    definition = _DEFINITIONS["run_code"]
    errors = (ScriptFailedError, ScriptStoppedError)

    def __init__(self, tools: _Tools) -> None:
        super().__init__(tools)
        self._sandbox = Sandbox()

    async def setup(self) -> None:
        """Start the sandbox."""
        await self._sandbox.start()

    async def close(self) -> None:
        """End the sandbox, and close the tools."""
        await self._sandbox.stop()
        await self._tools.toolkit.close()

    async def execute(self, request: dict[str, Any], context: ToolContext) -> Any:
        """Run a script."""
        call, toolkit, functions = current_call(), self._tools.toolkit, self._tools.functions()
        if call is None or call.exchange is None:
            exchange = Exchange(Requester(None, None, context.report_progress, context.principal))
        else:
            exchange = call.exchange
        allowed = self._tools.allowed()
        names = {function for function, tool in functions.tools.items() if tool in allowed}
        definitions = {name: functions.definitions[functions.tools[name]] for name in names}
        asking = {name for name, each in definitions.items() if each.get("asks") or "confirm" in each}
        session = toolkit.carrying(dict(context.extras))
        if context.session_id is not None:  # else, a new id would make each script another caller
            session = toolkit.session(context.extras, session_id=context.session_id)
        calls = ScriptCalls(session, functions, exchange)
        owner = exchange.requester.owner
        try:
            return await self._sandbox.run(request["code"], names, calls.run, waits=asking, owner=owner)
        finally:
            context.extras.update(session.extras)


def code_mode_toolkit(toolkit: Toolkit) -> Toolkit:
    """Return a toolkit of `search_tools`, `describe_tools` and `run_code`, which reach those of `toolkit`."""
    tools = _Tools(toolkit)
    return Toolkit([SearchTools(tools), DescribeTools(tools), RunCode(tools)], config=toolkit.config)
