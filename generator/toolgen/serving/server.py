"""Build an MCP server of a toolkit, for every protocol version that the SDK supports."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Final, TypeVar

try:
    import mcp_types as types
    from mcp.server import Server, ServerRequestContext
    from mcp.server.context import CallNext, HandlerResult, ServerMiddleware
    from mcp.server.request_state import RequestStateBoundary
    from mcp.shared.exceptions import MCPError
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
        raise
    raise ModuleNotFoundError(
        "an MCP server needs the MCP SDK: pip install 'toolgen[mcp]'", name=error.name
    ) from error

from toolgen.base.escaping.places import plain_name
from toolgen.base.suggestions import count, listed
from toolgen.runtime.implementations import implementation_faults as faults
from toolgen.runtime.instrumentation.telemetry import current_tracer
from toolgen.runtime.logs.configure import announce
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text
from toolgen.runtime.settings import SettingError, Settings
from toolgen.runtime.toolkit import Toolkit

from .auth.grant import grant_of
from .confirm import request_state_security
from .features import METHODS, Features, FeatureSource, load_features
from .held_questions import KEY as HELD_KEY
from .held_questions import is_modern
from .own_skills import own_skills
from .result import wire_result
from .server_state import CALLED, STOPPING, STOPPING_CODE, ServerState
from .tasks import EXTENSION, TaskParams, answer_task_method
from .tasks import METHODS as TASK_METHODS
from .tools_call import answer_call, unheld_response
from .tools_list import Tools
from .uri_templates import SKILLS

DEFAULT_VERSION: Final = "0.0.0"
LIST_SECONDS: Final = 60  # that a client may cache the list of tools
Result = TypeVar("Result")
_LISTED: ContextVar[Tools] = ContextVar("toolgen_listed_tools")
"""The tools with which the current request is answered, past the SDK's check of the result."""

_ARGUMENTS: ContextVar[Any] = ContextVar("toolgen_arguments")
"""The arguments of the current call if they are no object."""


class ToolServer(Server[Any]):
    """A low-level server of the tools and feature sources of `state`.

    Its capabilities announce changes of tools alone. `name` is also the audience of sealed state.
    """

    def __init__(self, state: ServerState, name: str, version: str | None, instructions: str | None) -> None:
        super().__init__(
            name,
            version=version or DEFAULT_VERSION,
            instructions=instructions,
            lifespan=state.running,
            on_subscriptions_listen=self._answer_listen,
            get_tool_input_schema=state.tools.mirrored_schema,
        )
        self.state, self.catalog = state, state.toolkit.catalog
        self._audience = name
        self._sources = Features(state.sources, state.settings)
        self._seal_with(state.settings)
        for method in self._sources.methods():
            self.add_request_handler(method, METHODS[method].params, self._answer_feature)
        if "skills/list" in self._sources.methods():
            self.extensions[SKILLS] = {}
        # not as `on_list_tools` and `on_call_tool`, which must return models
        self.add_request_handler("tools/list", types.PaginatedRequestParams, self._answer_list)
        self.add_request_handler("tools/call", types.CallToolRequestParams, self._answer_call)
        if state.settings.task_queue is not None:
            self.extensions[EXTENSION] = {}
            for method in TASK_METHODS:
                self.add_request_handler(method, TaskParams, self._answer_task_method)
        self.middleware[:] = [*map(_if_traced, self.middleware), self._within, _pass_any_arguments]

    def use_keys(self, settings: Settings) -> None:
        """Seal with the keys of `settings` from now on, and open with all of them. Raises SettingError."""
        if settings.confirmation_key is None or self.state.settings.confirmation_key is None:
            return  # a random key stays, and so do the questions that it has sealed
        self.state.toolkit.use_keys(settings)
        self._seal_with(settings)

    def _seal_with(self, settings: Settings) -> None:
        self._boundary = RequestStateBoundary(
            request_state_security(settings), default_audience=self._audience
        )

    def get_capabilities(self, *args: Any, **options: Any) -> types.ServerCapabilities:
        """Return the SDK's capabilities, of which changes of tools alone are announced."""
        found = super().get_capabilities(*args, **options)
        resources = types.ResourcesCapability(subscribe=False, list_changed=False)
        return found.model_copy(
            update={
                "prompts": found.prompts and types.PromptsCapability(list_changed=False),
                "resources": found.resources and resources,
                "tools": types.ToolsCapability(list_changed=True),
            }
        )

    async def _answer_list(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams
    ) -> dict[str, Any]:
        """Answer `tools/list` with one page of the tools that the caller may call."""
        state = self.state
        state.toolkit_for(context)  # from now on, the client is notified of changes
        granted = grant_of(context, state.settings).listed
        page = state.tools.page(is_modern(context), params.cursor, granted)
        # `_within` adds the tools: the SDK drops the keys of a schema that it does not know
        _LISTED.set(page["tools"])
        shared = granted is None and not state.tools.scopes  # else, other callers see other tools
        return {
            **page,
            "tools": [],
            "resultType": "complete",
            "ttlMs": LIST_SECONDS * 1000,
            "cacheScope": "public" if shared else "private",
        }

    async def _within(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Answer a request, as middleware: refused while the server stops, `tools/list` with its tools."""
        if self.state.stopping and ctx.request_id is not None:
            raise MCPError(code=STOPPING_CODE, message=STOPPING)
        result = await self._opened(ctx, call_next)
        listed = _LISTED.get(None) if ctx.method == "tools/list" else None
        if listed is not None and isinstance(result, dict):
            return {**result, "tools": listed}
        if ctx.method == "notifications/initialized":
            self.state.toolkit_for(ctx)  # from now on, the client is notified of changes
        return result

    async def _opened(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Answer a request; open `requestState` in it, and seal that of the result."""
        has_begun = False

        async def proceed(opened: ServerRequestContext[Any, Any]) -> HandlerResult:
            nonlocal has_begun
            has_begun = True
            return await call_next(opened)

        try:
            return await self._boundary(ctx, proceed)
        except MCPError:
            params = ctx.params or {}
            answers = params.get("inputResponses")
            is_late = ctx.method == "tools/call" and isinstance(answers, Mapping) and HELD_KEY in answers
            if has_begun or not is_late:
                raise
            # a replica with another key has asked, or too long ago: the call that asked has begun
            return wire_result(unheld_response(str(params.get("name"))), "none", ctx.protocol_version)

    async def _answer_call(
        self, context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> dict[str, Any] | types.InputRequiredResult:
        if context.request is not None:
            # the call writes a record, so that a refused request does not need one
            context.request.scope[CALLED] = True
        if (given := _ARGUMENTS.get(None)) is not None:
            _ARGUMENTS.set(None)
            params = params.model_copy(update={"arguments": given})
        try:
            return await self.state.calls.run(answer_call(self.state, context, params))
        except MCPError:
            raise
        except Exception as error:  # the SDK would send its message to older clients
            LOGGER.error("tools/call failed outside of the tool", exc_info=without_text(error))
            raise MCPError(code=types.INTERNAL_ERROR, message="Internal error") from None

    async def _answer_task_method(
        self, context: ServerRequestContext[Any, Any], params: TaskParams
    ) -> HandlerResult:
        """Answer a method of the tasks extension."""
        return await self.state.calls.run(answer_task_method(self.state, context, params))

    async def _answer_feature(self, context: ServerRequestContext[Any, Any], params: Any) -> HandlerResult:
        """Answer a request for what another server has."""
        self.state.toolkit_for(context)
        return await self.state.calls.run(self._sources.answer(context, params))

    async def _answer_listen(
        self, context: ServerRequestContext[Any, Any], params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Send changes of the list of tools until the client leaves."""
        wanted = types.SubscriptionFilter(tools_list_changed=params.notifications.tools_list_changed)
        return await self.state.listen(context, params.model_copy(update={"notifications": wanted}))


def check_implementations(server: ToolServer) -> None:
    """Log which implementations do not load.

    With `strict_start`, imports all of them. Raises SettingError, with which the server must not start, if
    then one does not load, or if one forwards to another server than its spec says. Does nothing for a
    toolkit of the application.
    """
    if server.catalog is None:
        return
    if foreign := "\n".join(map(str, faults.find_foreign_modules(server.catalog))):
        raise SettingError(f"not started: {foreign}")
    if not server.state.settings.strict_start:
        faults.warn_of_faults(server.catalog)
    elif not faults.refuse_faults(server.catalog):
        raise SettingError("not started: an implementation does not load, and --strict-start is set")


def report_approvals(server: ToolServer) -> None:
    """Log who may approve calls, and which calls nobody can approve."""
    if (approvals := server.state.approvals) is not None:
        approvals.log_facts()
        for problem in approvals.problems(server.state.acting.definitions.values()):
            LOGGER.warning("%s", problem)


def complete_identity(server: ToolServer) -> None:
    """Give a server without a name in `[server]` that of its project's folder; warn if it has no version.

    Clients show both. Until then it has the name of the generated package. The audience of sealed state stays
    that name, so that replicas in different folders accept each other's.
    """
    if server.catalog is not None and server.version == DEFAULT_VERSION:
        LOGGER.warning(
            "clients show version %s of this server, because it has none: write `version` below [server] in "
            "toolgen.toml, or below [project] in pyproject.toml, and run `toolgen generate`",
            DEFAULT_VERSION,
        )
    module = sys.modules.get(getattr(server.catalog, "__name__", ""))
    package, file = getattr(module, "__package__", None), getattr(module, "__file__", None)
    if not package or not file or server.name != package:
        return
    top = os.path.abspath(file)
    for _ in range(package.count(".") + 2):
        top = os.path.dirname(top)
    if os.path.basename(top) == "src":
        top = os.path.dirname(top)
    server.name = plain_name(os.path.basename(top)) or package


def introduce(server: ToolServer, url: str = "") -> None:
    """Tell a person at a terminal which tools are served, and how to call them: at `url`, or over stdio."""
    if not sys.stderr.isatty() or not (url or sys.stdin.isatty()):
        return
    names = list(server.state.toolkit.definitions)
    announce(f"{count(len(names), 'tool')}: {listed(names)}", logging.INFO)
    if url:
        how = f"give clients this URL, or try `toolgen call TOOL --against {url}`"
    else:
        how = f"serving {server.name} over stdio: clients start this command; `toolgen connect` tells them to"
    announce(f"{how}; ^C stops", logging.INFO)


def build_server(
    toolkit: Toolkit,
    *,
    name: str,
    version: str | None = None,
    instructions: str | None = None,
    features: Sequence[FeatureSource] = (),
    lenient_arguments: bool = False,
) -> ToolServer:
    """Return a low-level server of the tools in `toolkit`, including tools that are added later.

    `main` runs it as a command, `asgi_app` turns it into an ASGI application.

    Args:
        toolkit: the tools. The server closes it when it ends.
        name: the name that clients show. It is also the audience of sealed state.
        version: the version that clients show. The default is "0.0.0".
        instructions: a text for the model about all tools. The default is none.
        features: servers whose resources, prompts, completions and skills are served as well, beside those in
            `_features` of the implementations package, and the skill of the project. The default is none.
        lenient_arguments: leave out arguments that a tool does not have, and null for optional ones. False by
            default: they are refused.

    Raises:
        ValueError: two tools have the same published name.
        SettingError: the value of an environment variable is not valid; what limits of calls need is missing;
            or a module in `_features` does not load, and `strict_start` is set.

    Example:
        app = asgi_app(build_server(Toolkit([Count()]), name="shop"))
    """
    loaded = load_features(toolkit.catalog, strict=toolkit.settings.strict_start)
    sources = [
        *own_skills(toolkit),
        *features,
        *loaded,
    ]  # of two skills of one name, the project's own counts
    state = ServerState(_in_code_mode(toolkit) if toolkit.settings.code_mode else toolkit, sources)
    state.acting, state.is_lenient = toolkit, lenient_arguments
    limits = (each.get("rate_limit") for each in toolkit.definitions.values())
    if any((toolkit.settings.rate_limit, *limits)):
        state.rate_limits = toolkit.rate_limits
    server = ToolServer(state, name, version, instructions)
    server.catalog = toolkit.catalog
    return server


def _if_traced(spans: ServerMiddleware[Any]) -> ServerMiddleware[Any]:
    """Return the SDK's middleware for spans, passed by without a tracer provider: it takes 3 % of a call."""

    async def traced(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        return await (call_next(ctx) if current_tracer() is None else spans(ctx, call_next))

    return traced


def _in_code_mode(toolkit: Toolkit) -> Toolkit:
    """Return the three tools of code mode. Raises SettingError if its extra is not installed."""
    try:
        # only if it is asked for: the sandbox need not be installed
        from .code_mode.toolkit import code_mode_toolkit
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "pydantic_monty":
            raise
        raise SettingError("--code-mode needs a sandbox: pip install 'toolgen[code]'") from error
    return code_mode_toolkit(toolkit)


async def _pass_any_arguments(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Pass arguments of a call that are no object by the SDK, which would refuse them, to the tool.

    It coerces them, or tells the model what it expects.
    """
    given = (ctx.params or {}).get("arguments") if ctx.method == "tools/call" else None
    if given is not None and not isinstance(given, Mapping):
        _ARGUMENTS.set(given)
        ctx = replace(ctx, params={**(ctx.params or {}), "arguments": {}})
    return await call_next(ctx)
