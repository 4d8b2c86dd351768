"""Tools of an upstream as implementations."""

from __future__ import annotations

from typing import Any, ClassVar, Final

import mcp_types as types
from mcp.client._input_required import run_input_required_driver
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter

from toolgen.runtime.adapters.mcp.current_call import CurrentCall, current_call
from toolgen.runtime.adapters.mcp.server_state import is_modern
from toolgen.runtime.adopted.tool import AdoptedToolError, answer_of
from toolgen.runtime.context import ToolContext
from toolgen.runtime.logs.redaction import redact

from .connection import LostError
from .questions import Exchange, identity_of
from .upstream import Upstream, can_ask

_RESULT: TypeAdapter[types.CallToolResult | types.InputRequiredResult] = TypeAdapter(
    types.CallToolResult | types.InputRequiredResult
)
_RESERVED: Final = ("io.modelcontextprotocol/", "toolgen/")
_MAX_ROUNDS: Final = 10  # of questions in one call


class ForwardedTool:
    """A tool of an upstream: a base for implementations, before the generated class.

    Attributes:
        upstream: the server that has the tool.
        listed_name: the name by which the server knows it.

    Example:
        class CreateIssue(ForwardedTool, CreateIssueTool):
            upstream = GITHUB
            listed_name = "create_issue"
    """

    upstream: ClassVar[Upstream]
    listed_name: ClassVar[str]
    definition: ClassVar[Any]

    async def setup(self) -> None:
        """Count this tool: the connections are closed after the last one."""
        self.upstream.enter()

    async def close(self) -> None:
        """Close the connections after the last tool of the upstream."""
        await self.upstream.leave()

    async def execute(self, request: Any, context: ToolContext) -> Any:
        """Call the tool of the upstream. Return its result, or raise its error."""
        arguments = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
        call = current_call()
        try:
            fields = redact(await self._call(arguments, call, context), self.upstream.secrets)
        except LostError:
            if not self._may_repeat():
                raise
            fields = redact(await self._call(arguments, call, context), self.upstream.secrets)
        except MCPError as raised:
            error = MCPError.from_error_data(_redacted(raised.error, self.upstream.secrets))
            if call is not None:
                call.protocol_error = error
            raise AdoptedToolError(error.error.message) from raised
        if call is not None:
            call.fields = _without_stamps(fields)
        return answer_of(_RESULT.validate_python(fields, by_name=False), call, context)

    async def _call(
        self, arguments: dict[str, Any], call: CurrentCall | None, context: ToolContext
    ) -> dict[str, Any]:
        """Return the result of the upstream as JSON, or the question that its user has to answer."""
        upstream = self.upstream
        identity = identity_of(self.listed_name, arguments, context)
        if call is not None:
            resumed = await upstream.held.resume(call, identity)
            if resumed is not None:
                return resumed
        exchange = Exchange(call, context)
        work = self._forward(arguments, call, context, exchange)
        if call is not None and is_modern(call.request) and can_ask(call) and not upstream.shared:
            return await upstream.held.run(work, exchange, call, identity)
        return await work

    async def _forward(
        self, arguments: dict[str, Any], call: CurrentCall | None, context: ToolContext, exchange: Exchange
    ) -> dict[str, Any]:
        passes_questions = call is not None and is_modern(call.request)
        params = types.CallToolRequestParams(
            name=self.listed_name,
            arguments=arguments,
            input_responses=call.params.input_responses if call is not None and passes_questions else None,
            request_state=call.params.request_state if call is not None and passes_questions else None,
            _meta=_forwarded_meta(context),
        )
        async with self.upstream.connection(call, context) as connection:
            first = await connection.call(params, exchange)
            if passes_questions or first.get("resultType") != "input_required":
                return first

            async def ask(_: str, asked: Any) -> Any:
                if isinstance(asked, types.ElicitRequest):
                    return await exchange.ask(asked.params)
                return types.ErrorData(code=types.INVALID_REQUEST, message="Only the user can be asked.")

            async def retry(responses: Any, state: str | None) -> Any:
                again = params.model_copy(update={"input_responses": responses, "request_state": state})
                fields = await connection.call(again, exchange)
                question = fields.get("resultType") == "input_required"
                return types.InputRequiredResult.model_validate(fields, by_name=False) if question else fields

            asked = types.InputRequiredResult.model_validate(first, by_name=False)
            result: dict[str, Any] = await run_input_required_driver(
                asked, dispatch=ask, retry=retry, max_rounds=_MAX_ROUNDS
            )
            return result

    def _may_repeat(self) -> bool:
        """True if the spec says that a second call does no harm."""
        hints = self.definition.get("annotations", {})
        return bool(hints.get("readOnlyHint") or hints.get("idempotentHint"))


def _forwarded_meta(context: ToolContext) -> Any:
    """Return what the client sent in `_meta` for tools, without what belongs to its connection."""
    meta = {
        key: value
        for key, value in context.meta.items()
        if not key.startswith(_RESERVED) and key not in ("progressToken", "progress_token")
    }
    return meta or None


def _without_stamps(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a result without what is about the connection to the upstream."""
    meta = fields.get("_meta")
    if not isinstance(meta, dict):
        return fields
    own = {key: value for key, value in meta.items() if not key.startswith(_RESERVED)}
    return {
        **{key: value for key, value in fields.items() if key != "_meta"},
        **({"_meta": own} if own else {}),
    }


def _redacted(error: types.ErrorData, secrets: list[str]) -> types.ErrorData:
    return types.ErrorData(
        code=error.code, message=redact(error.message, secrets), data=redact(error.data, secrets)
    )
