"""Tools that pass calls on to a real server, and record its answers as examples."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from toolgen.language.targets.builtin import MCP
from toolgen.runtime.adapters.naming import published_name
from toolgen.runtime.content.values import Content, ToolResult
from toolgen.runtime.context import ToolContext
from toolgen.runtime.contract.tool_contract import contract_of
from toolgen.runtime.errors import HttpError, ToolError
from toolgen.runtime.response import ERROR_KEY
from toolgen.runtime.tool import BaseTool
from toolgen.serving.adopted.tool import returned
from toolgen.sources.mcp_client.connection import Upstream
from toolgen.sources.mcp_client.results import response_of, text_of
from toolgen.testing.mock.contracts import MockContract
from toolgen.testing.mock.recording import NotRecordedError, RecordedCall, Recorder, check_call


class RecordingTool(BaseTool[Any, Any]):
    """A tool whose calls a real server answers."""

    def __init__(
        self, contract: MockContract, upstream: Upstream, recorder: Recorder, log: Callable[[str], None]
    ) -> None:
        """`log` gets a line about each call: what was recorded, or why it was not."""
        self.contract = contract
        self._upstream = upstream
        self._recorder = recorder
        self._log = log
        self._errors = {error.code: error for error in type(self).errors}

    async def setup(self) -> None:
        """Do nothing: the first call connects."""

    async def close(self) -> None:
        """End the connection to the server."""
        await self._upstream.close()

    async def preview(self, request: Any, context: ToolContext) -> Any:
        """Return a text that says which call is passed on; the answer itself if only a preview is wanted."""
        only_if = contract_of(type(self)).only_if
        if only_if is not None and only_if.is_false(request):
            return await self.execute(request, context)
        return f"The call is passed on to {self._upstream.source}."

    async def execute(self, request: Any, context: ToolContext) -> Any:
        """Return the server's answer, and record it."""
        from mcp.shared.exceptions import MCPError

        definition = self.contract.definition
        try:
            result = await self._upstream.call(published_name(definition, MCP.name), request)
        except MCPError as error:
            raise HttpError(f"The server refuses the call: {error}") from error
        if result.is_error:
            failure = self._error(result)
            if failure.code in self._declared:
                await self._record(RecordedCall(request, error=failure.code))
            raise failure
        response = response_of(result, self._accepts if "output_schema" in definition else None)
        await self._record(RecordedCall(request, response))
        if "content" not in definition or "stream" in definition:
            return response
        found = returned(result)
        return found if "output_schema" not in definition else ToolResult(response, *_blocks(found))

    @property
    def _declared(self) -> set[str]:
        return {error["code"] for error in self.contract.definition.get("errors", ())}

    def _accepts(self, response: Any) -> bool:
        try:
            check_call(self.contract, RecordedCall({}, response))
        except NotRecordedError:
            return False
        return True

    def _error(self, result: Any) -> ToolError:
        """Return the error in a result: the declared one with its code, else `http_error` with its text."""
        given = (result.meta or {}).get(ERROR_KEY)
        code = given.get("code") if isinstance(given, dict) else None
        known = self._errors.get(code) if isinstance(code, str) else None
        if known is not None and isinstance(given, dict):
            return known(str(given.get("message", known.description)))
        return HttpError(text_of(result)[:2000] or None)

    async def _record(self, call: RecordedCall) -> None:
        name = self.contract.definition["name"]
        try:
            recorded = await asyncio.to_thread(self._recorder.record, self.contract, call)
        except NotRecordedError as error:
            if str(error):
                self._log(f"{name}: this call was not recorded: {error}")
        else:
            self._log(f"{name}: wrote the example {recorded!r} to {self.contract.file}")


def _blocks(found: Any) -> Sequence[Content]:
    return found.content if isinstance(found, ToolResult) else found if isinstance(found, list) else ()


def recording_tool(
    contract: MockContract, upstream: Upstream, recorder: Recorder, log: Callable[[str], None]
) -> RecordingTool:
    """Return the tool of a contract, an instance of a class of its own."""
    from toolgen.testing.mock.tool import tool_class

    tool: RecordingTool = tool_class(contract, RecordingTool)(contract, upstream, recorder, log)
    return tool
