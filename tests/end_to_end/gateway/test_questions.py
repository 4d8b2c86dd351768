"""Questions of upstreams to the user: of both eras, beside confirmations, and from many callers at once."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mcp_types as types
import pytest
from toolgen.serving.held_questions import Exchange, HeldCalls, Requester
from toolgen.upstream import Upstream

from tests.end_to_end.project import ERAS, NEWEST_ERA, text_of
from tests.end_to_end.raw_http import connect
from tests.preloaded import python_command

from .conftest import Gateway, settings_of

HERE = Path(__file__).parent


ANN = (
    ("ann: accept", ["Is this ann?"]),
    ("ann: accept second", ["Is this ann?", "new_shop asks: Really ann?"]),
)


@pytest.fixture(scope="session", params=["old", "new"])
def asking(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    """A gateway in front of a server of one era, which asks. Tests must not change it."""
    root = tmp_path_factory.mktemp(request.param)
    made = Gateway(root, settings_of(root))
    made.write("toolgen.toml", 'implementations = "tools"\nserver.version = "1.0.0"\n')
    command = shlex.join([*python_command(os.environ), str(HERE / f"{request.param}_upstream.py")])
    done = made.toolgen("import", "mcp", "--implement", command)
    assert done.returncode == 0, done.stderr
    made.generate()
    return made


def answering(asked: list[str], action: Any = "accept") -> Any:
    async def answer(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(re.sub(r"^(old|new)[ _-]shop asks: Is", "Is", params.message))
        content = {"yes": True, "confirm": True} if action == "accept" else None
        return types.ElicitResult(action=action, content=content)

    return answer


@ERAS
async def test_a_server_of_either_era_asks_clients_of_both(asking: Gateway, era: str) -> None:
    asked: list[str] = []
    async with asking.stdio_client(era, elicitation_callback=answering(asked)) as client:
        assert text_of(await client.call_tool("buy", {"user": "bob"})).startswith("bob: accept")
        assert asked == ["Is this bob?"]
        ann = text_of(await client.call_tool("buy", {"user": "ann"}))
    assert (ann, asked[1:]) in ANN


async def test_pages_and_meta_pass_as_they_are_named(asking: Gateway) -> None:
    meta = {
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "example.com/user": "ann@example.com",
        "plan": "free",
    }
    async with asking.server() as server, connect(server.url) as connection:
        for user in ("meta", "url"):
            params = {"name": "buy", "arguments": {"user": user}, "_meta": meta}
            found = json.dumps((await connection.ask("tools/call", params)).message)
            assert "https://example.com" not in found
            assert "plan" not in found
            assert "example.com/user" not in found
            assert ("traceparent" if user == "meta" else "error") in found


@NEWEST_ERA
async def test_a_prompt_may_ask_too(asking: Gateway, era: str) -> None:
    asked: list[str] = []
    async with asking.stdio_client(era, elicitation_callback=answering(asked)) as client:
        found = await client.get_prompt("greet", {"user": "ann"})
        listed = await client.list_prompts()
    assert (found.messages[0].content.text, asked) in ANN
    assert [each.name for each in listed.prompts] == ["greet"]


@NEWEST_ERA
async def test_a_confirmed_call_asks_for_its_confirmation_once(
    asking: Gateway, tmp_path: Path, era: str
) -> None:
    gateway = Gateway(tmp_path / "confirmed", settings_of(asking.root))
    shutil.copytree(asking.root, gateway.root)
    spec = gateway.root / "specs" / "buy.yaml"
    spec.write_text(spec.read_text() + "confirm:\n  message: Buy for {user}?\n")
    gateway.generate()
    asked: list[str] = []
    async with gateway.stdio_client(era, elicitation_callback=answering(asked)) as client:
        assert text_of(await client.call_tool("buy", {"user": "bob"})).startswith("bob: accept")
        assert asked == ["Buy for bob?", "Is this bob?"]
        await client.call_tool("buy", {"user": "bob"})
    assert asked == ["Buy for bob?", "Is this bob?"] * 2


@ERAS
async def test_a_script_gets_the_answer_or_ends_where_an_upstream_asks_in_its_own_way(
    asking: Gateway, era: str
) -> None:
    asked: list[str] = []
    code = "try:\n    found = buy(user='bob')\nexcept BaseException:\n    found = 'caught'\nfound"
    async with asking.stdio_client(era, "--code-mode", elicitation_callback=answering(asked)) as client:
        said = text_of(await client.call_tool("run_code", {"code": code}))
    if era == "legacy":
        assert asked == ["Is this bob?"]
        assert "bob: accept" in said
    else:
        assert asked == []
        assert "buy asks the user something that a script cannot answer" in said
        assert "caught" not in said


async def _nothing(*values: Any) -> None:
    pass


def _sessionless() -> Requester:
    capabilities = types.ClientCapabilities(elicitation={})
    session = SimpleNamespace(client_capabilities=capabilities, can_send_request=False)
    request: Any = SimpleNamespace(protocol_version="2026-07-28", request=object(), session=session)
    return Requester(request, None, _nothing)


async def test_a_connection_is_lent_again_after_a_call_but_not_after_a_cancelled_one() -> None:
    upstream = Upstream("python server.py", lock="server.lock")
    async with upstream.connection(_sessionless()) as first:
        pass
    with pytest.raises(asyncio.CancelledError):
        async with upstream.connection(_sessionless()) as second:
            raise asyncio.CancelledError
    async with upstream.connection(_sessionless()) as third, upstream.connection(_sessionless()) as fourth:
        assert first is second
        assert len({id(first), id(third), id(fourth)}) == 3


async def test_a_principal_has_half_of_the_calls_that_wait() -> None:
    held = HeldCalls[Any](4)
    form = types.ElicitRequestFormParams(
        message="Yes?", requested_schema={"type": "object", "properties": {}}
    )

    async def asked(principal: str) -> Any:
        exchange = Exchange(replace(_sessionless(), principal=principal))
        return await held.run(exchange.ask(form), exchange, principal)

    found = [await asked(name) for name in ("eve", "eve", "eve", "ada")]
    held.end_all(id(asyncio.get_running_loop()))
    assert [isinstance(each, types.InputRequiredResult) for each in found] == [True, True, False, True]
