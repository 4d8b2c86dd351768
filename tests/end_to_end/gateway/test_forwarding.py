"""Tools of another server behind toolgen: what their clients see is what the server says."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from tests.approval.test_serving import KEY, page_of, sign, write_approvers
from tests.end_to_end.project import NEWEST_ERA, SECONDS, error_code, text_of

from .conftest import Gateway, upstream_command

STAMPS = ("io.modelcontextprotocol/", "toolgen/")


def bare(result: types.CallToolResult) -> dict[str, Any]:
    """Return a result as JSON, without what is about the server that sent it."""
    found: dict[str, Any] = json.loads(result.model_dump_json(by_alias=True, exclude_none=True))
    meta = {key: value for key, value in found.pop("_meta", {}).items() if not key.startswith(STAMPS)}
    return {**found, "_meta": meta} if meta else found


def answering(action: Any = "accept", asked: list[str] | None = None) -> Any:
    async def answer(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        if asked is not None:
            asked.append(params.message)
        return types.ElicitResult(action=action, content={"yes": True} if action == "accept" else None)

    return answer


@NEWEST_ERA
async def test_lists_and_results_are_those_of_the_server(gateway: Gateway, era: str) -> None:
    command, *words = upstream_command(gateway.root)
    direct = Client(StdioServerParameters(command=command, args=words), mode=era)
    calls: list[tuple[str, dict[str, Any]]] = [("find_item", {"text": "cup"}), ("show", {}), ("fail", {})]
    async with asyncio.timeout(SECONDS), direct, gateway.stdio_client(era) as client:
        before, after = [
            {tool.name: tool.model_dump(exclude={"meta"}) for tool in (await each.list_tools()).tools}
            for each in (direct, client)
        ]
        assert after == before
        for name, arguments in calls:
            expected, found = [bare(await each.call_tool(name, arguments)) for each in (direct, client)]
            assert found == expected


@NEWEST_ERA
async def test_progress_reaches_the_client(gateway: Gateway, era: str) -> None:
    heard: list[Any] = []
    unheard = gateway.root / "unheard"
    unheard.touch()

    async def progress(*values: Any) -> None:
        heard.append(values)
        unheard.unlink(missing_ok=True)

    async with gateway.stdio_client(era) as client:
        assert text_of(await client.call_tool("work", {}, progress_callback=progress)) == "done"
    assert heard == [(1.0, 2.0, "half")]


async def test_people_approve_calls_of_another_server(gateway: Gateway) -> None:
    spec = gateway.root / "specs" / "find_item.yaml"
    spec.write_text(f"{spec.read_text()}confirm: {{message: 'Find {{text}}?', proof: person}}\n")
    gateway.generate()
    write_approvers(gateway, ann=KEY)
    async with gateway.stdio_client("auto") as client:
        page = page_of(await client.call_tool("find_item", {"text": "cup"}))
        assert await sign(page) == 200
        assert text_of(await client.call_tool("find_item", {"text": "cup"})) == "cup"


async def test_a_question_is_answered_by_the_client(gateway: Gateway) -> None:
    asked: list[str] = []
    async with gateway.stdio_client("legacy", elicitation_callback=answering("accept", asked)) as client:
        assert text_of(await client.call_tool("ask", {"user": "ann"})) == "ann: accept"
    async with gateway.stdio_client("legacy", elicitation_callback=answering("decline", asked)) as client:
        assert text_of(await client.call_tool("ask", {"user": "bob"})) == "bob: decline"
    assert asked == ["shop asks: Is this ann?", "shop asks: Is this bob?"]


async def test_a_client_that_cannot_ask_is_not_asked(gateway: Gateway) -> None:
    async with gateway.stdio_client("legacy") as client:
        with pytest.raises(MCPError, match="not supported"):
            await client.call_tool("ask", {"user": "ann"})


@pytest.mark.parametrize("calls", [12, pytest.param(300, marks=pytest.mark.slow)])
async def test_no_question_reaches_another_user(gateway: Gateway, calls: int) -> None:
    async def calls_of(client: Client, user: str) -> list[str]:
        limit = asyncio.Semaphore(8)

        async def call(number: int) -> str:
            async with limit:
                return text_of(await client.call_tool("ask", {"user": f"{user} {number}"}))

        return list(await asyncio.gather(*map(call, range(calls))))

    asked: dict[str, list[str]] = {"ann": [], "bob": []}
    async with gateway.server() as server, AsyncExitStack() as stack:
        clients = {
            user: await stack.enter_async_context(
                server.client("legacy", elicitation_callback=answering("accept", asked[user]))
            )
            for user in asked
        }
        answers = await asyncio.gather(*(calls_of(client, user) for user, client in clients.items()))
    for user, found in zip(asked, answers, strict=True):
        assert found == [f"{user} {number}: accept" for number in range(calls)]
        assert sorted(asked[user]) == sorted(
            f"shop asks: Is this {user} {number}?" for number in range(calls)
        )


@NEWEST_ERA
async def test_a_cancelled_call_is_cancelled_upstream(gateway: Gateway, era: str) -> None:
    async with gateway.stdio_client(era) as client:
        call = asyncio.create_task(client.call_tool("wait", {}))
        await _exists(gateway.root / "waiting")
        call.cancel()
        await _exists(gateway.root / "cancelled")
        assert text_of(await client.call_tool("find_item", {"text": "cup"})) == "cup"


async def test_a_call_that_takes_too_long_is_cancelled_upstream(gateway: Gateway) -> None:
    spec = gateway.root / "specs" / "wait.yaml"
    spec.write_text(spec.read_text() + "timeout: 1\n")
    gateway.generate()
    async with gateway.stdio_client("auto") as client:
        await client.call_tool("find_item", {"text": "connects"})
        assert error_code(await client.call_tool("wait", {})) == "timeout"
        await _exists(gateway.root / "cancelled")


async def test_an_upstream_that_dies_leaves_the_outcome_unknown_and_is_started_again(
    gateway: Gateway,
) -> None:
    async with gateway.stdio_client("auto") as client:
        assert error_code(await client.call_tool("die", {})) == "outcome_unknown"
        assert text_of(await client.call_tool("find_item", {"text": "cup"})) == "cup"


async def test_a_call_is_repeated_only_if_the_spec_allows_it(gateway: Gateway) -> None:
    async with gateway.stdio_client("auto") as client:
        assert text_of(await client.call_tool("die_again", {})) == "alive"
    assert (gateway.root / "died").read_text() == "xx"


async def test_an_upstream_that_floods_ends_only_its_own_connection(gateway: Gateway) -> None:
    async with gateway.stdio_client("auto") as client:
        assert error_code(await client.call_tool("flood", {})) == "outcome_unknown"
        assert text_of(await client.call_tool("find_item", {"text": "cup"})) == "cup"


async def test_an_upstream_that_does_not_start_is_unreachable(gateway: Gateway) -> None:
    gateway.upstream.write_text(re.sub('"[^"]*upstream.py[^"]*"', '"false"', gateway.upstream.read_text()))
    async with gateway.stdio_client("auto") as client:
        for _ in range(2):
            result = await client.call_tool("find_item", {"text": "cup"})
            assert error_code(result) == "unreachable"


@pytest.mark.parametrize(
    ("source", "expected"), [("ours", ""), ("ours, named", "a-secret"), ("missing", "missing_dependency")]
)
async def test_a_command_gets_only_the_variables_that_are_named(
    gateway: Gateway, source: str, expected: str
) -> None:
    if source != "ours":
        name = "SHOP_TOKEN" if source == "ours, named" else "NO_SUCH_TOKEN"
        text = gateway.upstream.read_text()
        text = text.replace(
            '.with_suffix(".lock"),', f'.with_suffix(".lock"), env={{"TOKEN": "${{{name}}}"}},'
        )
        gateway.upstream.write_text(text)
    gateway.env["SHOP_TOKEN"] = "a-secret"
    async with gateway.stdio_client("auto") as client:
        hidden = text_of(await client.call_tool("tell", {"variable": "SHOP_TOKEN"}))
        result = await client.call_tool("tell", {"variable": "TOKEN"})
    if expected == "missing_dependency":
        assert error_code(result) == expected
        return
    assert hidden == ""
    # the server has it, and does not tell
    assert text_of(result) == ("[secret]" if expected else "")


async def _exists(file: Path, wanted: Callable[[], bool] = lambda: True) -> None:
    async with asyncio.timeout(SECONDS):
        while not (file.exists() and wanted()):
            await asyncio.sleep(0.02)
