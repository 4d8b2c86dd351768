"""A hostile and clumsy upstream: every call ends in time, in one of our outcomes, and touches no other tool."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from toolgen.serving.held_questions import Exchange, Requester
from toolgen.sources.mcp_client.outcomes import Failure
from toolgen.upstream import Upstream

from tests.end_to_end.project import HttpServer, text_of, token_of
from tests.end_to_end.replicas import free_port
from tests.samples import load_beside, sample

from .conftest import Gateway, settings_of

HOSTILE = Path(__file__).with_name("hostile_upstream.py")
BEHAVIOURS = load_beside(__file__, "behaviours.yaml")
MODULE = "tools/_upstreams/hostile.py"
FAST = 12  # of the behaviours of each kind of upstream: every so many
MAX_MEMORY = 250 * 1024 * 1024
SECONDS = 30.0  # that a call may take on a busy machine; its limit is five, and the upstream sleeps for 30
MANY_SECONDS = 1_000_000_000  # until a date that is far away
RETRYABLE = ("overloaded", "unreachable")
BUSY = ("timeout", "unreachable")
OF_HARMLESS = ("outcome_unknown", "timeout")  # may be tried again if a second call does no harm


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    """A gateway in front of the hostile upstream."""
    root = tmp_path_factory.mktemp("hostile")
    made = Gateway(root, settings_of(root))
    made.write("toolgen.toml", 'implementations = "tools"\nserver.version = "1.0.0"\n')
    made.write("behaviours.json", json.dumps(BEHAVIOURS))
    done = made.toolgen(
        "import", "mcp", "--implement", "--", sys.executable, str(HOSTILE), str(root), "legacy"
    )
    assert done.returncode == 0, done.stderr
    for name in ("act", "read"):
        spec = root / "specs" / f"{name}.yaml"
        spec.write_text(f"{spec.read_text()}timeout: 5\n")
    made.generate()
    (root / "upstream.py").write_text((root / MODULE).read_text())
    return made


@asynccontextmanager
async def running(hostile: Gateway, over: str, era: str) -> AsyncIterator[HttpServer]:
    """Run the gateway, with an upstream of a kind."""
    command, upstream = [sys.executable, str(HOSTILE), str(hostile.root), era], None
    source = f"{sys.executable} {HOSTILE} {hostile.root} {era}"
    if over == "http":
        port = free_port()
        upstream = subprocess.Popen([*command, str(port)])
        source = f"http://127.0.0.1:{port}/mcp"
    module = (hostile.root / "upstream.py").read_text()
    (hostile.root / MODULE).write_text(
        re.sub(r"Upstream\(.*?lock=", f'Upstream("{source}", lock=', module, flags=re.DOTALL)
    )
    tokens = hostile.write_tokens(**{f"user{number}": [] for number in range(len(BEHAVIOURS))})
    try:
        async with hostile.server(
            "--auth-tokens", tokens, preloaded=False, PYTHONDONTWRITEBYTECODE="1"
        ) as server:
            yield server
    finally:
        if upstream is not None:
            upstream.kill()
            upstream.wait()


async def outcome(client: Client, tool: str, row: dict[str, Any], number: int) -> Any:
    """Return how a call ends: `done`, `refused`, `cancelled`, or code, `retryable` and `retry_after`."""
    call = client.call_tool(tool, {"does": row["name"], "n": number})
    try:
        result = await asyncio.wait_for(call, row.get("cancel"))
    except TimeoutError:
        return "cancelled"
    except MCPError:
        return "refused"
    if result.is_error:
        error: dict[str, Any] = (result.meta or {})["toolgen/error"]
        # without one in the table, it may be the time of the next attempt to connect
        after = min(error.get("retry_after", 0), MANY_SECONDS) if "retry_after" in row else None
        return error["code"], error["retryable"], after
    return "done" if text_of(result) in (str(number), "done") else text_of(result)


def expected(tool: str, row: dict[str, Any]) -> Any:
    """Return what `outcome` must return."""
    wanted = row["outcome"]
    code = wanted[tool == "read"] if isinstance(wanted, list) else wanted
    if code in ("done", "refused", "cancelled"):
        return code
    may_retry = code in RETRYABLE or (tool == "read" and code in OF_HARMLESS)
    if "retryable" in row:
        may_retry = row["retryable"][tool == "read"]
    return code, may_retry, row.get("retry_after")


async def try_out(server: HttpServer, era: str, row: dict[str, Any], number: int, token: str) -> list[str]:
    """Return what is wrong with the calls of a behaviour."""
    wrong = []
    async with server.client("legacy" if era == "legacy" else "auto", token) as client:
        if row.get("at", "tools/call") == "tools/call":
            await client.call_tool("fine", {})  # connects, which takes long on a busy machine
        for at, tool in enumerate(("act", "read")):
            began = time.monotonic()
            wanted = expected(tool, row)
            found = await outcome(client, tool, row, 10 * number + at)
            if found != wanted and found[0] in BUSY:  # so is a machine with other work
                await asyncio.sleep(2)
                found = await outcome(client, tool, row, 10 * number + at)
            if isinstance(found, tuple) and found[0] == row.get("or"):
                found = (wanted[0], *found[1:])
            if found != wanted or time.monotonic() - began > SECONDS:
                wrong.append(
                    f"{row['name']}, {tool}: {found}, not {wanted}, {time.monotonic() - began:.1f} s"
                )
            if row.get("at", "tools/call") == "tools/call":
                result = await client.call_tool("fine", {"n": number})
                if result.is_error and "[unreachable]" in text_of(result):
                    await asyncio.sleep(2)  # the next attempt to connect
                    result = await client.call_tool("fine", {"n": number})
                if text_of(result) != str(number):
                    wrong.append(f"{row['name']}, then fine: {text_of(result)}")
    return wrong


@pytest.mark.parametrize(
    ("over", "era", "every"),
    [
        ("stdio", "legacy", FAST),
        ("http", "modern", FAST),
        *sample(product(("stdio", "http"), ("legacy", "modern"), (1,)), ()),
    ],
)
async def test_every_call_ends_in_an_outcome(hostile: Gateway, over: str, era: str, every: int) -> None:
    rows = [row for row in BEHAVIOURS if over in row.get("over", [over]) and era in row.get("eras", [era])]
    rows = rows[::every]
    early = [row for row in rows if row.get("at", "tools/call") != "tools/call"]
    room, now, wrong = asyncio.Semaphore(6), hostile.root / "now", []
    async with running(hostile, over, era) as server:

        async def limited(number: int, row: dict[str, Any]) -> None:
            async with room:
                try:
                    wrong.extend(await try_out(server, era, row, number, token_of("user0")))
                except Exception as error:
                    wrong.append(f"{row['name']}: {error!r}")

        await asyncio.gather(*(limited(at, row) for at, row in enumerate(rows) if row not in early))
        for at, row in enumerate(early, 1):
            now.write_text(row["name"])
            wrong += await try_out(server, era, row, 1000 + at, token_of(f"user{at}"))
            now.unlink()
            another = token_of(f"user{at + len(early)}")  # who has no connection yet
            async with server.client("legacy" if era == "legacy" else "auto", another) as client:
                while (await client.call_tool("fine", {})).is_error:
                    await asyncio.sleep(0.1)  # until the next attempt to connect
        memory = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{server.process.pid}/status").read_text())
        assert memory is None or int(memory[1]) * 1024 < MAX_MEMORY
    assert not wrong, "\n".join(wrong)


async def test_the_log_names_upstream_tool_and_reason_once(hostile: Gateway) -> None:
    async with (
        running(hostile, "http", "legacy") as server,
        server.client("legacy", token_of("user0")) as client,
    ):
        for name in ("HTTP 429", "half an emoji", "an image without a type"):
            for number in range(2):
                await client.call_tool("act", {"does": name, "n": number})
        await client.call_tool("fine", {})
        log = server.log
    assert log.count("degraded: upstream hostile: it has too much to do (act): HTTP 429") == 1
    assert log.count("which is no message of MCP") == 1
    assert log.count("upstream hostile answered with something else than MCP (act): its answer") == 1
    assert log.count("works again: upstream hostile") == 1


@pytest.mark.parametrize("calls", [20, pytest.param(1_000, marks=pytest.mark.slow)])
async def test_calls_of_two_users_reach_their_upstream(hostile: Gateway, calls: int) -> None:
    lock = (hostile.root / MODULE).with_suffix(".lock")
    upstreams = {
        era: Upstream(f"{sys.executable} {HOSTILE} {hostile.root} {era}", lock=lock)
        for era in ("legacy", "modern")
    }
    room = asyncio.Semaphore(20)

    async def answer(era: str, user: str, number: int) -> str:
        requester = Requester(None, None, nothing, principal=user, session_id=user)
        params = types.CallToolRequestParams(name="fine", arguments={"does": "who", "n": number})
        async with room, upstreams[era].connection(requester) as connection:
            found = await connection.call(params, Exchange(requester), SECONDS)
        return str(found["content"][0]["text"])

    callers = [(era, user) for _ in range(calls) for user in ("ann", "bob") for era in upstreams]
    numbered = [(era, user, at) for at, (era, user) in enumerate(callers)]
    for upstream in upstreams.values():
        upstream.enter()
    try:
        found = await asyncio.gather(*(answer(*each) for each in numbered))
    finally:
        for upstream in upstreams.values():
            await upstream.leave()
    assert found == [f"{era} {number}" for era, _, number in numbered]


async def nothing(*values: Any) -> None:
    """Report no progress."""


def test_the_page_has_every_outcome() -> None:
    page = Path("docs/gateway.md").read_text()
    for failure in set(Failure) - {Failure.REFUSED}:
        row = next(line for line in page.splitlines() if line.startswith(f"| {failure.text} |"))
        again = "if harmless" if failure.may_be_done else "yes" if failure.outcome.retryable else "no"
        assert row.endswith(f"| `{failure.outcome.code}` | {again} |")
