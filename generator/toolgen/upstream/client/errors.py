"""Errors of a client that no tool declares. Those of the runtime are raised as on the server."""

from toolgen.runtime.errors import ToolError


class ConnectError(ToolError):
    """There is no connection to the server; the message says why."""

    code = "not_connected"
    description = "The server cannot be reached."
    retryable = True


class ProtocolError(ToolError):
    """The server refused the request, or answered with something else than MCP.

    `details["code"]` is the code of a JSON-RPC error.
    """

    code = "protocol_error"
    description = "The server refused the request."


class UndeclaredContentWarning(UserWarning):
    """A tool sent images or other blocks that its contract does not declare, and no callback got them."""
