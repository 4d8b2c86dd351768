"""Connections to upstreams: whose they are, how long they last, and what happens when they are lost."""

from __future__ import annotations

import asyncio
import shlex
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from toolgen.serving.held_questions import Exchange, Requester
from toolgen.sources.mcp_client.outcomes import Failure, RequestFailedError
from toolgen.upstream import Upstream
from toolgen.upstream.gateway import upstream as upstream_module
from toolgen.upstream.gateway.upstream import Backoff

from tests.end_to_end.project import ERAS, SECONDS, error_code, token_of
from tests.samples import sample

from .conftest import Gateway, settings_of, upstream_command


async def _nothing(*values: Any) -> None:
    pass


SETTINGS = 'specs = "specs"\noutput = "generated"\nimplementations = "tools"\n'
CALLER = Requester(None, None, _nothing)


async def call(upstream: Upstream, name: str, caller: Requester = CALLER, **arguments: Any) -> str:
    """Call a tool of an upstream; return the text of its result."""
    params = types.CallToolRequestParams(name=name, arguments=arguments)
    async with upstream.connection(caller) as connection:
        found = await connection.call(params, Exchange(caller))
    return str(found["content"][0]["text"])


@asynccontextmanager
async def opened(gateway: Gateway, source: str = "", **options: Any) -> AsyncIterator[Upstream]:
    """Open the upstream of a gateway in this process."""
    source = source or shlex.join(upstream_command(gateway.root))
    upstream = Upstream(source, lock=gateway.upstream.with_suffix(".lock"), **options)
    upstream.enter()
    try:
        async with asyncio.timeout(SECONDS):
            yield upstream
    finally:
        await upstream.leave()


async def process_of(client: Client) -> str:
    """Return the process of the upstream that answers a client."""
    read = await client.read_resource("shop://stock/1")
    return read.contents[0].text.rpartition(" ")[2]


async def test_a_shared_upstream_has_one_connection_for_all_clients(gateway: Gateway) -> None:
    text = gateway.upstream.read_text()
    gateway.upstream.write_text(text.replace('(".lock"),', '(".lock"), shared=True,'))
    async with gateway.server() as server, server.client("legacy") as one, server.client("auto") as other:
        assert await process_of(one) == await process_of(other)
        # its answers could reach anybody, so that it cannot ask
        assert error_code(await one.call_tool("find_item", {"text": "cup"})) is None


@ERAS
async def test_each_principal_has_connections_of_its_own(gateway: Gateway, era: str) -> None:
    tokens = gateway.write_tokens(ann=[], bob=[])
    async with (
        gateway.server("--auth-tokens", tokens) as server,
        server.client(era, token_of("ann")) as ann,
        server.client(era, token_of("bob")) as bob,
    ):
        processes = [await process_of(each) for each in (ann, bob, ann, bob)]
    assert processes[:2] == processes[2:]
    assert processes[0] != processes[1]


async def test_all_requests_of_a_newer_client_of_stdio_have_one_connection(gateway: Gateway) -> None:
    async with asyncio.timeout(SECONDS), gateway.stdio_client("auto") as client:
        first = await process_of(client)
        await client.call_tool("restock", {})
        assert await process_of(client) == first


async def test_a_connection_that_nobody_uses_is_closed(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upstream_module, "IDLE_SECONDS", 1.0)
    async with opened(gateway) as upstream:
        async with upstream.connection(CALLER) as first:
            pass
        async with upstream.connection(CALLER) as second:
            assert second is first
            await asyncio.sleep(1.2)
        async with upstream.connection(CALLER) as third:
            assert third is first, "it was in use"
        await asyncio.sleep(1.2)
        async with upstream.connection(CALLER) as fourth:
            assert fourth is not first


def test_attempts_to_connect_are_made_at_growing_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(upstream_module, "monotonic", lambda: now[0])
    backoff, waited = Backoff(), []
    failed = RequestFailedError(Failure.UNREACHABLE, "away")
    for _ in range(9):
        backoff.check()
        backoff.failed(failed)
        with pytest.raises(RequestFailedError) as caught:
            backoff.check()
        waited.append(caught.value.retry_after)
        now[0] += waited[-1] or 0
    assert waited == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    backoff.succeeded()
    backoff.check()
    backoff.failed(failed)
    with pytest.raises(RequestFailedError) as caught:
        backoff.check()
    assert caught.value.retry_after == 0.5


async def test_an_http_server_that_is_gone_is_unreachable(gateway: Gateway) -> None:
    async with opened(gateway, "http://127.0.0.1:1/mcp") as upstream:
        for _ in range(2):
            with pytest.raises(RequestFailedError) as caught:
                await call(upstream, "work")
            assert caught.value.failure is Failure.UNREACHABLE


def test_options_that_contradict_each_other_are_refused() -> None:
    for source, options, message in (
        ("python x.py", {"headers": {"A": "b"}}, "headers are for an upstream at a URL"),
        ("http://shop.example/mcp", {"env": {"A": "b"}}, "env is for an upstream that a command starts"),
        ("python x.py", {"drift_description": "allow"}, "'refuse' or 'log'"),
    ):
        with pytest.raises(ValueError, match=message):
            Upstream(source, lock="x.lock", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--env", "A=B", "python shop.py"], "--env 'A=B' is not the name of a variable"),
        (["--header", "A=NO_SUCH", "http://127.0.0.1:1/mcp"], "there is no environment variable 'NO_SUCH'"),
        (["--env", "A", "toolgen.toml"], "--header and --env are for servers, and SOURCE is a file"),
    ],
)
def test_an_import_that_cannot_be_is_refused_and_writes_nothing(
    tmp_path: Path, words: list[str], message: str
) -> None:
    gateway = Gateway(tmp_path, settings_of(tmp_path))
    gateway.write("toolgen.toml", SETTINGS)
    done = gateway.toolgen("import", "mcp", "--implement", *words, BAD="two\nlines")
    assert done.returncode == 2
    assert message in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["toolgen.toml"]


def _that_is_not_literal(gateway: Gateway) -> None:
    gateway.upstream.write_text("UPSTREAM = Upstream(address(), lock=None)\n")


def _that_no_tool_uses(gateway: Gateway) -> None:
    shutil.rmtree(gateway.root / "tools")
    gateway.write("tools/__init__.py", "")


def _that_does_not_start(gateway: Gateway) -> None:
    text = gateway.upstream.read_text()
    command = shlex.join(upstream_command(gateway.root))
    assert command in text
    gateway.upstream.write_text(text.replace(command, "false"))


def _with_a_broken_lock(gateway: Gateway) -> None:
    gateway.upstream.with_suffix(".lock").write_text("{}")


@pytest.mark.parametrize(
    ("broken", "message"),
    sample(
        [
            (_that_is_not_literal, "shop.py: --upstream reads the arguments of `Upstream` as literals"),
            (_that_no_tool_uses, "--upstream: no tool is forwarded to another server"),
            (_that_does_not_start, "does the server start, and speak MCP?"),
            (_with_a_broken_lock, "shop.lock is not a lock that `toolgen guard --init` wrote"),
        ],
        (0, 2),
    ),
)
def test_check_upstream_says_why_it_cannot_compare(gateway: Gateway, broken: Any, message: str) -> None:
    broken(gateway)
    done = gateway.toolgen("check", "--upstream")
    assert done.returncode == 2, done.stdout + done.stderr
    assert message in done.stderr
