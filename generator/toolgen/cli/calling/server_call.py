"""Make one call of a running MCP server, for `toolgen call --against`."""

from __future__ import annotations

import asyncio

from toolgen.cli.importing.mcp_client import ServerAddress, require_sdk
from toolgen.cli.importing.mcp_results import response_of, text_of
from toolgen.cli.output import emit_json, say, say_text
from toolgen.cli.server_tests.connection import Ask, ServerAnswer, ServerConnection, ServerLostError
from toolgen.project import UnableError
from toolgen.schema.document import JsonObject

CALL_SECONDS = 600.0


def call_server(
    server: ServerAddress, name: str, arguments: JsonObject, *, ask: Ask | None, as_json: bool
) -> bool:
    """Make the call, and print its result. Return True if it succeeded.

    `ask` answers the server's questions to the user; without it, the client says that there is no user.
    Raises UnableError if the server does not answer.
    """
    require_sdk("calling a server")
    answer = asyncio.run(_call(server, name, arguments, ask))
    result = answer.result
    if as_json:
        data = None if result is None else result.model_dump(mode="json", by_alias=True, exclude_none=True)
        error = {"kind": answer.refusal, "message": answer.message} if answer.refusal else None
        emit_json({"result": data, "error": error})
    elif result is None:
        say_text(f"{answer.refusal}: {answer.message}")
    elif result.is_error:
        say_text(text_of(result))
    else:
        emit_json(response_of(result, None))
        for block in result.content:
            if block.type != "text":
                say(f"a block of the type {block.type} is not shown; `--format json` has it")
    return result is not None and not result.is_error


async def _call(server: ServerAddress, name: str, arguments: JsonObject, ask: Ask | None) -> ServerAnswer:
    connection = ServerConnection(server, asks_user=ask is not None)
    try:
        return await connection.call(name, arguments, ask=ask, seconds=CALL_SECONDS)
    except ServerLostError as error:
        hint = "does the server start, and speak MCP?"
        raise UnableError("bad-source", f"{server.shown}: {error}", hint) from None
    finally:
        await connection.close()
