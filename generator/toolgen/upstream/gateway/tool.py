"""Tools of an upstream as implementations."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Final

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter

from toolgen.runtime.context import ToolContext
from toolgen.runtime.definition.tool_definition import is_idempotent
from toolgen.runtime.errors import UpstreamChangedError
from toolgen.runtime.logs.redaction import redact
from toolgen.serving.adopted.tool import AdoptedToolError, answer_of
from toolgen.serving.current_call import current_call
from toolgen.serving.held_questions import Exchange, Requester
from toolgen.sources.mcp_client.outcomes import Failure, RequestFailedError

from .forwarding import forward, forwarded_meta, outcome_of, without_stamps
from .upstream import Upstream
from .upstream_connection import Connection

_DEFAULT_SECONDS: Final = 60.0  # that a call may take, if its spec has no `timeout`
_RESULT: TypeAdapter[types.CallToolResult | types.InputRequiredResult] = TypeAdapter(
    types.CallToolResult | types.InputRequiredResult
)


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

    forwards: ClassVar[bool] = True
    keeps_time: ClassVar[bool] = True  # of its calls, which are cancelled upstream
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
        own, mark = f"{self.upstream.lock.stem}/{self.listed_name}", self.definition.get("x-upstream")
        if mark is not None and mark != own:
            raise UpstreamChangedError(f"Not called: the spec is of {mark}, and calls would go to {own}.")
        call = current_call()
        requester = Requester(
            None if call is None else call.request,
            None if call is None else call.params,
            context.report_progress,
            context.principal,
            context.session_id,
            context.headers,
        )
        params = types.CallToolRequestParams(
            name=self.listed_name,
            arguments=request.model_dump(mode="json", by_alias=True, exclude_unset=True),
            _meta=forwarded_meta(self.upstream, context.meta),
        )
        send = partial(_send, seconds=float(self.definition.get("timeout", _DEFAULT_SECONDS)))
        may_repeat = is_idempotent(self.definition)
        try:
            fields = await forward(self.upstream, requester, params, send, may_repeat=may_repeat)
        except MCPError as error:
            if call is not None:
                call.protocol_error = error
            raise AdoptedToolError(error.error.message) from error
        if call is not None:
            call.fields = without_stamps(fields)
        try:
            result = _RESULT.validate_python(fields, by_name=False)
        except ValueError as error:
            failed = RequestFailedError(Failure.INVALID, str(error))
            reason = redact(str(error), [*self.upstream.secrets, *context.headers.values()])
            self.upstream.note_failure(self.listed_name, failed.failure, reason)
            raise outcome_of(failed, is_harmless=may_repeat) from None
        return answer_of(result, call, context)


async def _send(
    connection: Connection, params: types.CallToolRequestParams, exchange: Exchange, *, seconds: float
) -> dict[str, Any]:
    return await connection.call(params, exchange, seconds)
