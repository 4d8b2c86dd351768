"""FastMCP: a real server, its own client and the MCP SDK's, both protocol eras."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.server.auth.providers.jwt import StaticTokenVerifier
from fastmcp.utilities.tests import run_server_async
from mcp_types import ElicitResult
from toolgen.runtime import Toolkit
from toolgen.serving.bridges import fastmcp_provider
from toolgen.serving.listed_tool import for_handshake_era, served_tools

from tests.runtime.tool_factory import make_tool

from .helpers import (
    NO_ORDER,
    ODD,
    ORDER,
    QUESTION,
    TOTAL,
    UNKNOWN_SUPPLIER,
    asking,
    guarded,
    mirror,
    orders,
    text_of,
)

pytestmark = pytest.mark.bridges

ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])


def server(toolkit: Toolkit, **options: Any) -> FastMCP[Any]:
    made: FastMCP[Any] = FastMCP("shop", **options)
    made.add_provider(fastmcp_provider(toolkit))
    return made


def call(toolkit: Toolkit, *call: Any, era: str = "auto", **options: Any) -> Any:
    """Call a tool with a new client; return the result."""

    async def do() -> Any:
        async with Client(server(toolkit), mode=era, **options) as client:
            return await client.call_tool(*call, raise_on_error=False)

    return asyncio.run(do())


def listed(toolkit: Toolkit, era: str, **options: Any) -> list[dict[str, Any]]:
    async def do() -> Any:
        async with Client(server(toolkit, **options), mode=era) as client:
            return await client.list_tools()

    return [tool.model_dump(by_alias=True, mode="json", exclude_unset=True) for tool in asyncio.run(do())]


def without_none(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in tool.items() if value is not None} for tool in tools]


@ERAS
@pytest.mark.parametrize("dereference", [True, False])
def test_definitions_are_listed_unchanged(gallery: Toolkit, era: str, dereference: bool) -> None:
    bare = make_tool(_ten, name="bare", output_schema={"type": "array", "items": {"type": "integer"}})
    gallery.add(bare)
    gallery.add(
        make_tool(_ten, name="told", meta={"a": {"b": 1}}, title="Told", annotations={"readOnlyHint": True})
    )
    want = served_tools(gallery.definitions)
    want = want if era == "auto" else for_handshake_era(want)
    got = without_none(listed(gallery, era, dereference_schemas=dereference))
    assert got == want
    if era == "auto":  # for older clients, the SDK writes keys in another order
        assert json.dumps([each["inputSchema"] for each in got]) == json.dumps(
            [e["inputSchema"] for e in want]
        )
    assert got[-2].keys() >= {"name", "inputSchema"}
    assert "title" not in got[-2]


def _ten(self: Any, request: Any, context: Any) -> list[int]:
    return [10]


@ERAS
def test_content_structure_and_metadata(gallery: Toolkit, era: str) -> None:
    result = call(gallery, "list_content", {}, era=era)
    assert result.content[0].text == text_of(gallery, "list_content", {})
    assert result.structured_content == json.loads(result.content[0].text)
    assert call(gallery, "echo", {"text": "ü"}, era=era).meta["toolgen/final_answer"] is True


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [("create_purchase_order", NO_ORDER, "invalid_request"), ("load", {"path": "no"}, "path_not_found")],
)
def test_errors_are_results_that_a_model_can_read(
    gallery: Toolkit, name: str, arguments: Any, code: str
) -> None:
    result = call(gallery, name, arguments)
    assert result.is_error
    assert result.structured_content is None
    assert result.content[0].text == text_of(gallery, name, arguments)
    assert result.meta["toolgen/error"]["code"] == code


class User:
    """The user of the client."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def __call__(self, message: str, response_type: Any, params: Any, context: Any) -> Any:
        self.asked.append(message)
        return self.answer


@ERAS
def test_the_user_is_asked_and_agrees(gallery: Toolkit, era: str) -> None:
    before, user = orders(gallery), User({"confirm": True})
    result = call(gallery, "create_purchase_order", ORDER, era=era, elicitation_handler=user)
    assert result.structured_content["order_number"] == "PO-2026-0005"
    [asked] = user.asked
    assert TOTAL in asked
    assert asked.endswith(QUESTION)
    assert orders(gallery) == before + 1


@ERAS
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"confirm": False}, "declined"),
        (ElicitResult(action="decline"), "declined"),
        (ElicitResult(action="cancel"), "cancelled"),
    ],
)
def test_the_user_is_asked_and_does_not_agree(gallery: Toolkit, era: str, answer: Any, code: str) -> None:
    before, user = orders(gallery), User(answer)
    result = call(gallery, "create_purchase_order", ORDER, era=era, elicitation_handler=user)
    assert (result.is_error, result.meta["toolgen/error"]["code"]) == (True, code)
    assert (len(user.asked), orders(gallery)) == (1, before)


@ERAS
def test_clients_that_cannot_ask_and_calls_without_confirm(gallery: Toolkit, era: str) -> None:
    denied = call(gallery, "create_purchase_order", ORDER, era=era)
    assert denied.meta["toolgen/error"]["code"] == "confirmation_required"
    user = User({"confirm": True})
    failed = call(gallery, "create_purchase_order", UNKNOWN_SUPPLIER, era=era, elicitation_handler=user)
    assert failed.meta["toolgen/error"]["code"] == "supplier_not_found"
    assert not user.asked
    done: list[Any] = []
    allowed = call(Toolkit([asking(done, on_unsupported="allow")]), "asking", {"n": 1}, era=era)
    assert (allowed.is_error, done) == (False, [{"n": 1}])


def test_every_name_and_value_reaches_the_tool() -> None:
    assert json.loads(call(Toolkit([mirror()]), "mirror", ODD).content[0].text) == ODD


async def test_names_aliases_namespaces_and_other_tools_of_the_server() -> None:
    toolkit = Toolkit([make_tool(_ten, name="ten", aliases=["zehn"], targets={"mcp": {"name": "give-ten"}})])
    made: FastMCP[Any] = FastMCP("shop")
    made.add_provider(fastmcp_provider(toolkit), namespace="shop")
    made.tool(lambda: 1, name="one")

    async with Client(made) as client:
        names = [tool.name for tool in await client.list_tools()]
        calls = [await client.call_tool(name) for name in ("shop_give-ten", "shop_zehn", "shop_ten")]
        toolkit.add(mirror())
        found = names, [each.content[0].text for each in calls], len(await client.list_tools())
    assert found == (["one", "shop_give-ten"], ["[10]"] * 3, 3)


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_scopes_come_from_the_access_token(era: str) -> None:
    tokens = {
        "writes": {"client_id": "a", "scopes": ["orders:write"]},
        "reads": {"client_id": "b", "scopes": ["orders:read"]},
    }
    made = server(Toolkit([guarded()]), auth=StaticTokenVerifier(tokens))

    texts = []
    async with run_server_async(made) as url:
        for token in tokens:
            async with Client(url, auth=token, mode=era) as client:
                result = await client.call_tool("guarded", raise_on_error=False)
                texts.append(result.content[0].text.partition(":")[0])
    assert texts == ["in", "Error [insufficient_scope]"]
