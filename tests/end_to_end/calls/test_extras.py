"""`extras` of a call reach the next call, even if the protocol has no sessions."""

from __future__ import annotations

import asyncio
import base64
import logging
import os
from typing import Any, ClassVar

import pytest
from mcp import Client, MCPError
from mcp_types import ElicitResult
from toolgen.runtime import ToolContext, Toolkit

from generated import mcp_server
from generated.tools.echo import EchoRequest, EchoResponse, EchoTool
from tests.end_to_end.project import ERAS, Project, text_of

EXTRAS = "toolgen/extras"
COUNTER = """
from generated.tools.echo import EchoResponse, EchoTool

class Echo(EchoTool):
    async def execute(self, request, context):
        context.extras["count"] = context.extras.get("count", 0) + 1
        return EchoResponse(text=str(context.extras["count"]))
"""


class Counter(EchoTool):
    """Counts the calls of a conversation, or sets the extras that a test wants."""

    def __init__(self, left: Any = None) -> None:
        self.left = left

    def execute(self, request: EchoRequest, context: ToolContext) -> EchoResponse:
        if self.left is not None:
            context.extras["left"] = self.left
        elif request.text == "clear":
            context.extras.clear()
        else:
            context.extras["count"] = context.extras.get("count", 0) + 1
        return EchoResponse(text=str(context.extras.get("count")))


async def count(client: Client, carried: Any = None, text: str = "") -> tuple[str, dict[str, Any]]:
    """Call the counter; return its answer and the result's `_meta`."""
    meta: Any = None if carried is None else {EXTRAS: carried}
    result = await client.call_tool("echo", {"text": text}, meta=meta)
    return text_of(result), dict(result.meta or {})


def said(number: int) -> str:
    return f'{{"text":"{number}"}}'


@ERAS
async def test_over_stdio_a_stock_client_keeps_its_extras(project: Project, era: str) -> None:
    project.write("tools/echo.py", COUNTER)
    project.generate()

    async with project.stdio_client(era) as client:
        for number in (1, 2, 3):
            assert (await count(client))[0] == said(number)
    async with project.stdio_client(era) as client:
        assert (await count(client))[0] == said(1), "another connection"


@pytest.mark.parametrize(("era", "flags"), [("auto", []), ("legacy", ["--stateless"])])
async def test_over_http_extras_reach_another_replica(project: Project, era: str, flags: list[str]) -> None:
    project.write("tools/echo.py", COUNTER)
    project.env["TOOLGEN_CONFIRMATION_KEY"] = base64.urlsafe_b64encode(os.urandom(32)).decode()
    project.env["TOOLGEN_CONFIRMATION_STORE"] = "memory"
    project.generate()

    async with project.server(*flags) as first, first.client(era) as client:
        text, meta = await count(client)
        assert text == said(1)
    async with project.server(*flags) as second, second.client(era) as client:
        assert (await count(client, meta[EXTRAS]))[0] == said(2)


async def test_a_session_of_the_older_protocol_carries_extras(project: Project) -> None:
    project.write("tools/echo.py", COUNTER)
    project.generate()

    async with project.server() as server, server.client("legacy") as client:
        for number in (1, 2):
            text, meta = await count(client)
            assert text == said(number)
            assert EXTRAS not in meta


def in_process(toolkit: Toolkit, act: Any, era: Any = "auto") -> Any:
    async def run() -> Any:
        async with Client(mcp_server.build_server(toolkit), mode=era) as client:
            return await act(client)

    return asyncio.run(run())


@pytest.mark.parametrize(("era", "flags"), [("auto", []), ("legacy", ["--stateless"])])
async def test_over_http_without_the_token_a_conversation_begins_anew(
    project: Project, era: str, flags: list[str]
) -> None:
    project.write("tools/echo.py", COUNTER)
    project.generate()

    async with project.server(*flags) as server, server.client(era) as client:
        assert (await count(client))[0] == (await count(client))[0] == said(1)


async def test_over_stdio_a_token_is_another_conversation(project: Project) -> None:
    project.write("tools/echo.py", COUNTER)
    project.generate()

    async with project.stdio_client("auto") as client:
        _, meta = await count(client)
        for _ in range(2):
            assert (await count(client, meta[EXTRAS]))[0] == said(2)
        assert (await count(client))[0] == said(2)


@ERAS
async def test_a_call_with_extras_can_be_confirmed(era: Any) -> None:
    asked: list[str] = []

    class Careful(Counter):
        definition: ClassVar[Any] = {**EchoTool.definition, "confirm": {"message": "Echo {text}?"}}

    async def agree(context: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"confirm": True})

    server = mcp_server.build_server(Toolkit([Careful()]))
    async with Client(server, mode=era, elicitation_callback=agree) as client:
        first, meta = await count(client)
        found = [first, (await count(client, meta.get(EXTRAS)))[0]]
    assert found == [said(1), said(2)]
    assert asked == ["Echo ?", "Echo ?"]


def test_cleared_extras_do_not_reach_the_next_call() -> None:
    async def act(client: Client) -> None:
        _, meta = await count(client)
        _, meta = await count(client, meta[EXTRAS], "clear")
        assert (await count(client, meta[EXTRAS]))[0] == said(1)

    in_process(Toolkit([Counter()]), act)


@pytest.mark.parametrize("wrong", ["v1.AAAA", {"count": 5}], ids=lambda each: str(each)[:9])
def test_a_foreign_extras_token_is_refused_and_not_ignored(wrong: Any) -> None:
    async def act(client: Client) -> None:
        with pytest.raises(MCPError, match="Invalid or expired toolgen/extras"):
            await count(client, wrong)

    in_process(Toolkit([Counter()]), act)


def test_a_changed_extras_token_or_one_of_another_server_is_refused() -> None:
    async def issue(client: Client) -> str:
        return str((await count(client))[1][EXTRAS])

    token = in_process(Toolkit([Counter()]), issue)

    async def act(client: Client) -> None:
        mine = (await count(client))[1][EXTRAS]
        for wrong in (token, mine[:-2] + ("A" if mine[-2] != "A" else "B") + mine[-1]):
            with pytest.raises(MCPError, match="Invalid or expired"):
                await count(client, wrong)

    in_process(Toolkit([Counter()]), act)


@pytest.mark.parametrize(
    ("left", "why"), [(object(), "they are not JSON"), ("x" * 20_000, "larger than 16384")]
)
def test_extras_that_cannot_be_carried_are_reported_to_client_and_operator(
    left: Any, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def act(client: Client) -> dict[str, Any]:
        return (await count(client))[1]

    with caplog.at_level(logging.WARNING, "toolgen.runtime"):
        meta = in_process(Toolkit([Counter(left)]), act)
    assert why in meta["toolgen/extras_not_carried"]
    assert EXTRAS not in meta
    assert [record.levelname for record in caplog.records if "were not carried" in record.message] == [
        "WARNING"
    ]


def test_an_extras_token_is_bound_to_the_principal_and_expires_after_a_day(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from toolgen.serving import extras

    user = "ada"
    monkeypatch.setattr(extras, "authenticated_principal", lambda context: user)
    sealed = extras.SealedExtras("shop")
    context: Any = None
    meta = sealed.meta_of(context, "echo", {"count": 1})
    assert sealed.opened(context, meta) == {"count": 1}
    user = "bob"
    with pytest.raises(MCPError, match="Invalid or expired"):
        sealed.opened(context, meta)
    user = "ada"
    now = extras.time.time()
    monkeypatch.setattr(extras.time, "time", lambda: now + extras.VALID_SECONDS + 1)
    with pytest.raises(MCPError, match="Invalid or expired"):
        sealed.opened(context, meta)
