"""The MCP adapter in process, with the SDK's own client, in both protocol eras."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import mcp_types as types
import pytest
from adapter_samples import WHEN, Book, Slow, Wipe, toolkit
from mcp import Client
from mcp.shared.exceptions import MCPError
from toolgen import serving as adapter
from toolgen.runtime import Toolkit

T = TypeVar("T")
ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])


def talk(era: str, work: Callable[[Client], Awaitable[T]], tools: Toolkit | None = None, **options: Any) -> T:
    """Return what `work` returns for a client of a server with `tools`."""

    async def run() -> T:
        server = adapter.build_server(tools or toolkit(), name="samples", version="1.2")
        async with Client(server, mode=era, **options) as client:
            return await work(client)

    return asyncio.run(run())


def call(era: str, name: str, arguments: Any, tools: Toolkit | None = None, **options: Any) -> Any:
    return talk(era, lambda client: client.call_tool(name, arguments), tools, **options)


def refusal(era: str, name: str, arguments: Any, tools: Toolkit | None = None, **options: Any) -> Any:
    """Return the protocol error with which a call is answered."""

    async def work(client: Client) -> Any:
        with pytest.raises(MCPError) as caught:
            await client.call_tool(name, arguments)
        return caught.value.error

    return talk(era, work, tools, **options)


def error_of(result: Any) -> dict[str, Any]:
    assert result.is_error
    assert result.structured_content is None
    error: dict[str, Any] = result.meta["toolgen/error"]
    return error


@ERAS
def test_the_list_is_the_definitions(era: str) -> None:
    listed = {tool.name: tool for tool in talk(era, lambda client: client.list_tools()).tools}
    assert list(listed) == ["book", "rows", "slow", "wipe", "mcp.renamed"]
    book, wanted = listed["book"], Book.definition
    assert book.title == book.annotations.title == wanted["title"]
    assert book.description == wanted["description"]
    assert book.input_schema == wanted["input_schema"]
    assert book.output_schema == wanted["output_schema"]
    assert book.annotations.destructive_hint is True
    assert book.icons[0].sizes == ["48x48"]
    assert book.meta == wanted["meta"] | {"toolgen/errors": wanted["errors"]}
    renamed = listed["mcp.renamed"]
    assert (renamed.title, renamed.annotations) == ("Renamed", None)
    assert renamed.input_schema["x-order"] == 1
    rows = rows_schema = {"type": "array", "items": {"type": "integer"}}
    if era == "legacy":
        rows_schema = {"type": "object", "properties": {"result": rows}, "required": ["result"]}
    assert listed["rows"].output_schema == rows_schema


@ERAS
def test_a_list_is_wrapped_for_clients_that_accept_objects_only(era: str) -> None:
    result = call(era, "rows", {"n": 3})
    assert result.content[0].text == "[0,1,2]"
    assert result.structured_content == ({"result": [0, 1, 2]} if era == "legacy" else [0, 1, 2])


@ERAS
def test_aliases_the_published_name_and_the_tools_own_name_are_answered(era: str) -> None:
    for name in ("reserve", "Tisch buchen"):
        assert call(era, name, WHEN).structured_content["given"] == WHEN
    for name in ("mcp.renamed", "renamed"):
        assert call(era, name, {"q": None}).content[0].text == '{"q":null}'


@ERAS
def test_coercions_are_reported_in_meta(era: str) -> None:
    coerced, plain = (call(era, "book", {**WHEN, "guests": guests}) for guests in ("3", 3))
    assert coerced.structured_content == plain.structured_content
    assert coerced.meta["toolgen/coerced"] == [{"path": "$.guests", "from": "string", "to": "integer"}]
    assert "toolgen/coerced" not in (plain.meta or {})


@ERAS
def test_a_declared_error_is_a_result(era: str) -> None:
    result = call(era, "book", {**WHEN, "guests": 11})
    assert result.content[0].text == "Error [fully_booked]: No room for 11.\nHint: Try another day."
    assert error_of(result) == {
        "code": "fully_booked",
        "message": "No room for 11.",
        "retryable": False,
        "hint": "Try another day.",
        "details": {"most": 10},
    }


@ERAS
def test_an_exception_in_the_adapter_is_masked(era: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*args: Any, **options: Any) -> Any:
        raise ValueError("hunter2 at db.internal")

    tools = toolkit()
    monkeypatch.setattr(tools, "call", broken)
    error = refusal(era, "book", WHEN, tools)
    assert (error.code, error.message, error.data) == (types.INTERNAL_ERROR, "Internal error", None)


@ERAS
def test_an_unknown_tool_is_a_protocol_error(era: str) -> None:
    error = refusal(era, "bok", {})
    assert error.code == types.INVALID_PARAMS
    assert error.message == 'There is no tool called "bok". Did you mean "book"?'


@ERAS
def test_cancelling_reaches_the_tool(era: str) -> None:
    tool = Slow()

    async def work(client: Client) -> None:
        with pytest.raises(MCPError):
            await client.call_tool("slow", {}, read_timeout_seconds=1)
        for _ in range(3000):
            if "cancelled" in tool.seen:
                return
            await asyncio.sleep(0.01)

    talk(era, work, Toolkit([tool]))
    assert tool.seen == ["started", "cancelled"]


@ERAS
def test_a_client_whose_elicitation_fails_has_not_confirmed(era: str) -> None:
    tool = Wipe()

    async def broken(context: Any, params: Any) -> Any:
        return types.ErrorData(code=types.INTERNAL_ERROR, message="no window")

    if era == "legacy":
        result = call(era, "wipe", {"disk": "a"}, Toolkit([tool]), elicitation_callback=broken)
        assert error_of(result)["code"] == "confirmation_required"
        assert "3 files would be lost." in result.content[0].text
    else:
        refusal(era, "wipe", {"disk": "a"}, Toolkit([tool]), elicitation_callback=broken)
    assert tool.runs == 0


def test_a_forged_or_missing_state_is_not_a_confirmation() -> None:
    tool = Wipe()
    yes = {"confirm": types.ElicitResult(action="accept", content={"confirm": True})}

    async def work(client: Client) -> None:
        send = client.session.call_tool
        with pytest.raises(MCPError) as caught:
            await send(
                "wipe", {"disk": "a"}, input_responses=yes, request_state="asked", allow_input_required=True
            )
        assert caught.value.error.code == types.INVALID_PARAMS
        unasked = await send("wipe", {"disk": "a"}, input_responses=yes, allow_input_required=True)
        assert isinstance(unasked, types.InputRequiredResult)
        assert tool.runs == 0
        with pytest.raises(MCPError):  # the question was about another disk
            await send(
                "wipe",
                {"disk": "b"},
                input_responses=yes,
                request_state=unasked.request_state,
                allow_input_required=True,
            )
        assert tool.runs == 0

    async def agree(context: Any, params: Any) -> types.ElicitResult:
        return yes["confirm"]

    talk("2026-07-28", work, Toolkit([tool]), elicitation_callback=agree)


def test_two_tools_are_never_published_by_one_name() -> None:
    other: Any = {**Wipe.definition, "name": "other", "targets": {"mcp": {"name": "wipe"}}}

    class Other(Wipe):
        definition = other

    with pytest.raises(ValueError, match="both published as 'wipe'"):
        adapter.build_server(Toolkit([Wipe(), Other()]), name="x")
