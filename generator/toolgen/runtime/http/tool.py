"""HttpTool: the implementation of tools that `toolgen import openapi` has created."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from toolgen.runtime.errors import ToolError, ToolTimeoutError, UnreachableError
from toolgen.runtime.logs.redaction import redact

from .client import NoReplyError, ReplyTimeoutError, close_client, send
from .reply import declared_error, result_from_reply, without_secrets
from .request import prepare
from .security import add_credentials

if TYPE_CHECKING:
    from toolgen.runtime.context import ToolContext
    from toolgen.runtime.tool import BaseTool

_DEFAULT_SECONDS = 60.0


class HttpTool:
    """Sends the request that `x-openapi` in the tool's spec describes. List it before the generated class:

        class ListPets(HttpTool, ListPetsTool): ...

    Override `headers` to add headers, or `execute` for other changes.
    """

    def headers(self, context: ToolContext) -> Mapping[str, str]:
        """Return additional headers for one call; they override those of the arguments."""
        return {}

    async def execute(self, request: Any, context: ToolContext) -> Any:
        """Send the request and return the JSON value of the reply.

        Raises the spec's declared errors for error statuses, and `unreachable` or `timeout` without a reply.
        """
        tool = cast("BaseTool[Any, Any]", self)
        arguments = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
        definition = cast("dict[str, Any]", tool.definition)
        operation = definition["x-openapi"]
        if "operations" in operation:  # one tool for several operations, chosen by an argument
            arguments = dict(arguments["call"])
            operation = operation["operations"][arguments.pop("operation")]
        prepared = prepare(operation, arguments)
        add_credentials(prepared, operation.get("security", ()))
        prepared.headers.update(self.headers(context))
        try:
            reply = await send(prepared, float(definition.get("timeout", _DEFAULT_SECONDS)))
        except ReplyTimeoutError as error:
            raise ToolTimeoutError(f"{error}.") from None
        except NoReplyError as error:
            raise (declared_error(tool.errors, "unreachable") or UnreachableError)(f"{error}.") from None
        try:
            result = result_from_reply(reply, operation, "output_schema" in definition, tool.errors)
        except ToolError as error:
            raise without_secrets(error, prepared.secrets) from None
        result = redact(result, prepared.credentials)  # an API may echo credentials
        return {"result": result} if operation.get("wrapped") else result

    async def close(self) -> None:
        """Close the connections that all tools of an event loop share."""
        await close_client()
