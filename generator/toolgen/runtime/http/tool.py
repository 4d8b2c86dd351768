"""HttpTool: the implementation of tools that `toolgen import openapi` has created."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast
from urllib.parse import quote

from toolgen.runtime.errors import MissingDependencyError, ToolError
from toolgen.runtime.logs.redaction import redact

from .client import close_client, send
from .reply import result_from_reply, without_secrets
from .request import PreparedRequest, origin_of, prepare

if TYPE_CHECKING:
    from toolgen.runtime.context import ToolContext
    from toolgen.runtime.tool import BaseTool

_DEFAULT_SECONDS = 60.0  # that a call may take, if its spec has no `timeout`
_SHORTEST_CREDENTIAL = 6  # characters; shorter ones are not redacted in results


class HttpTool:
    """Sends the request that `x-openapi` in the tool's spec describes. List it before the generated class.

    Override `headers` to add headers, or `execute` for other changes. The address of the API and its
    credentials are environment variables, which the spec names.

    Example:
        class ListPets(HttpTool, ListPetsTool):
            def headers(self, context: ToolContext) -> Mapping[str, str]:
                return {"X-Request-Id": context.call_id}
    """

    forwards: ClassVar[bool] = True

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
        prepared = prepare(operation, arguments)
        add_credentials(prepared, operation.get("security", ()))
        prepared.headers.update(self.headers(context))
        reply = await send(prepared, float(definition.get("timeout", _DEFAULT_SECONDS)))
        try:
            result = result_from_reply(reply, operation, "output_schema" in definition, tool.errors)
        except ToolError as error:
            raise without_secrets(error, prepared.secrets) from None
        result = redact(result, prepared.credentials)  # an API may echo credentials
        return {"result": result} if operation.get("wrapped") else result

    async def close(self) -> None:
        """Close the connections that all tools of an event loop share."""
        await close_client()


def add_credentials(request: PreparedRequest, schemes: Sequence[Mapping[str, Any]]) -> None:
    """Add the credentials of each of `schemes`, except those whose variables are not set.

    The spec's `auth.secrets` has the required secrets, which are checked before the tool runs.
    Raises MissingDependencyError if a secret is not valid in a header, or if the spec sends it to another
    host than that of the request, unless the environment defines the URL of the API.
    """
    for scheme in schemes:
        keys = [key for key in ("secret", "username", "password") if key in scheme]
        names = [scheme[key] for key in keys]
        values = [os.environ.get(name, "") for name in names]
        if not any(values):
            continue
        # a changed spec must not send the secret of one API to another host
        to = scheme.get("sent_to")
        if to and not request.chosen_by_environment and to != origin_of(request.url):
            raise MissingDependencyError(
                f"The secret {names[0]} is for {to}, and is not sent to {origin_of(request.url)}.",
                details={"name": names[0]},
            )
        for key, name, value in zip(keys, names, values, strict=True):
            if not value.isprintable() or not value.isascii():
                raise MissingDependencyError(
                    f"The environment variable {name} contains characters that a header cannot have.",
                    details={"name": name},
                )
            written = [value, quote(value, safe="")] if value else []  # unescaped, and escaped as in a query
            request.secrets += written
            if key != "username" and len(value) >= _SHORTEST_CREDENTIAL:
                request.credentials += written
        _add(request, scheme, values)


def _add(request: PreparedRequest, scheme: Mapping[str, Any], values: list[str]) -> None:
    kind, name = scheme["type"], scheme.get("name", "")
    if kind == "bearer":
        request.headers["Authorization"] = f"Bearer {values[0]}"
    elif kind == "basic":
        token = base64.b64encode(":".join(values).encode()).decode()
        request.secrets.append(token)
        request.credentials.append(token)
        request.headers["Authorization"] = f"Basic {token}"
    elif scheme["in"] == "header":
        request.headers[name] = values[0]
    elif scheme["in"] == "query":
        request.query.append((quote(name, safe=""), quote(values[0], safe="")))
    else:
        request.cookies.append((quote(name, safe=""), quote(values[0], safe="")))
