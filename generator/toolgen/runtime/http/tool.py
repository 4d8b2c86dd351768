"""HttpTool: an implementation of any tool that `toolgen import openapi` wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from toolgen.runtime.errors import ToolError, ToolTimeoutError
from toolgen.runtime.errors import UnreachableError as UnreachableToolError
from toolgen.runtime.instrumentation.redaction import redact

from .client import SlowError, UnreachableError, close_client, send
from .reply import masked, named, result_of
from .request import prepare
from .security import secure

if TYPE_CHECKING:
    from toolgen.runtime.context import ToolContext
    from toolgen.runtime.tool import BaseTool

_SECONDS = 60.0


class HttpTool:
    """Makes the call that `x-openapi` in the tool's spec describes. Stands before the generated class:

        class ListPets(HttpTool, ListPetsTool): ...

    Override `headers` to send more, or `execute` to do more.
    """

    def headers(self, context: ToolContext) -> Mapping[str, str]:
        """Further headers for one call; they win over those of the arguments."""
        return {}

    async def execute(self, request: Any, context: ToolContext) -> Any:
        """Send the request that the arguments make, and give back the JSON value of the reply.

        Raises the spec's declared errors for statuses that tell of a failure, and `unreachable` or
        `timeout` where there is none.
        """
        tool = cast("BaseTool[Any, Any]", self)
        arguments = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
        definition = cast("dict[str, Any]", tool.definition)
        how = definition["x-openapi"]
        if "operations" in how:  # one tool for several operations: the arguments say which
            arguments = dict(arguments["call"])
            how = how["operations"][arguments.pop("operation")]
        prepared = prepare(how, arguments)
        secure(prepared, how.get("security", ()))
        prepared.headers.update(self.headers(context))
        try:
            reply = await send(prepared, float(definition.get("timeout", _SECONDS)))
        except SlowError as error:
            raise ToolTimeoutError(f"{error}.") from None
        except UnreachableError as error:
            raise (named(tool.errors, "unreachable") or UnreachableToolError)(f"{error}.") from None
        try:
            result = result_of(reply, how, "output_schema" in definition, tool.errors)
        except ToolError as error:
            raise masked(error, prepared.secrets) from None
        result = redact(result, prepared.credentials)  # an API may say what it was sent
        return {"result": result} if how.get("wrapped") else result

    async def close(self) -> None:
        """Let go of the connections, which all tools of an event loop share."""
        await close_client()
