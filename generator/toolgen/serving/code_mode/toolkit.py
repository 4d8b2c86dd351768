"""The three tools of code mode, in place of all tools of a toolkit."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any, Final

from toolgen.runtime.context import ToolContext
from toolgen.runtime.errors import ToolError
from toolgen.runtime.tool import BaseTool
from toolgen.runtime.toolkit import Toolkit
from toolgen.serving.auth.grant import grant_of, scopes_of
from toolgen.serving.current_call import current_call
from toolgen.serving.held_questions import Exchange, Requester

from .calls import ScriptCalls
from .functions import Functions
from .script import Sandbox, ScriptFailedError, ScriptStoppedError

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
        session = toolkit._carrying(dict(context.extras))
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
