"""`toolgen mock`: the specs served to real MCP clients, while they change."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from toolgen.cli import main

from tests.end_to_end.project import SECONDS, HttpServer, Project, error_code
from tests.end_to_end.raw_http import connect
from tests.preloaded import python_command
from tests.testing.mock_samples import ORDER, write_specs

BRAKES = {"article": "brakes", "count": 2}


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    return Project(write_specs(tmp_path / "shop", order=ORDER))


async def test_a_client_over_stdio_gets_examples_and_made_up_answers(shop: Project) -> None:
    command, *words = python_command(shop.environment({}))
    parameters = StdioServerParameters(
        command=command, args=[*words, "-m", "toolgen", "mock"], env=shop.environment({}), cwd=shop.root
    )
    async with asyncio.timeout(SECONDS), Client(parameters) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["order"]
        answer = await client.call_tool("order", BRAKES)
        assert answer.structured_content == {"number": 7, "article": "brakes", "price": 12.5}
        assert meta_of(answer) == {"example": "brakes"}
        assert meta_of(await client.call_tool("order", {"article": "bell"})) == {"made_up": True}
        late = await client.call_tool("order", BRAKES, meta={"toolgen/mock": {"fail": "timeout"}})  # type: ignore[typeddict-unknown-key]
        assert (error_code(late), meta_of(late)) == ("timeout", {"provoked": "timeout"})


def meta_of(result: Any) -> Any:
    return result.meta["toolgen/mock"]


async def test_changes_of_specs_are_served_at_once(shop: Project) -> None:
    spec = shop.root / "specs" / "order.yaml"
    async with (
        shop.server("--fail", "out_of_stock=1", run=("-m", "toolgen", "mock")) as server,
        connect(server.url) as listening,
        server.client("legacy") as old,
        server.client("auto") as new,
    ):
        assert error_code(await old.call_tool("order", {"article": "bell"})) == "out_of_stock"
        await listening.send("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        await listening.head()
        await listening.chunk()
        shop.write("specs/ping.yaml", "name: ping\ndescription: Ping.\ninput_schema: {type: object}\n")
        assert b"notifications/tools/list_changed" in (await listening.chunk() or b"")
        assert "serving 1 changed tool: ping\n" in await log(server, "changed tool")
        assert (await new.call_tool("ping", {})).is_error is False

        spec.write_text(ORDER.replace("type: object", "type: objct", 1))
        shop.write("specs/ping.yaml", "name: ping\ndescription: Pong.\ninput_schema: {type: object}\n")
        said = await log(server, "last good contracts")
        assert "specs/order.yaml:4:9: error" in said
        assert "the last good contracts are still served\n" in said
        for client in (old, new):
            tools = {tool.name: tool for tool in (await client.list_tools(cache_mode="bypass")).tools}
            assert set(tools) == {"order", "ping"}
            assert tools["ping"].description == "Ping."


async def log(server: HttpServer, part: str) -> str:
    """Wait until the server has written `part`, and return everything that it has written."""
    async with asyncio.timeout(SECONDS):
        while part not in server.log:
            await asyncio.sleep(0.02)
    return server.log


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--fail", "out_of_stok=0.1"], "did you mean 'out_of_stock'"),
        (["--fail", "timeout=often"], "'timeout=often' is not CODE=RATE"),
        (["--latency", "-1"], "latency must be a number of seconds"),
        (["nowhere"], "there is no"),
    ],
)
def test_what_cannot_be_served_is_reported(
    shop: Project, flags: list[str], message: str, usage: Callable[..., Any]
) -> None:
    code, said = usage(shop, *flags)
    assert (code, message in said) == (2, True)


@pytest.fixture
def usage(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run `toolgen mock` in this process, for what ends before it serves."""
    server = import_module("toolgen.serving.command")
    monkeypatch.setattr(server, "configure_logging", lambda *_: None)

    def run(project: Project, *flags: str) -> tuple[int, str]:
        code = main(["-C", str(project.root), "mock", *flags])
        return code, capsys.readouterr().err

    return run


def test_a_port_in_use_and_contradicting_examples_are_reported(
    shop: Project, usage: Callable[..., Any]
) -> None:
    more = "  - {name: again, input: {article: saddle}, output: {number: 1, article: saddle, price: 1}}\n"
    shop.write("specs/order.yaml", ORDER + more)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, said = usage(shop, "--http", "--port", port)
    assert code == 2
    assert "warning[contradicting-examples] an earlier example has the same input" in said
    assert f"cannot listen on 127.0.0.1:{port}" in said
