"""Long work: servers queue calls in Redis, workers run them, clients wait or get tasks (`make test-redis`)."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client

from tests.end_to_end.project import ERAS, Project, error_code
from tests.end_to_end.replicas import KEY
from tests.end_to_end.stores import RedisServer

pytestmark = pytest.mark.redis

TASKS = "io.modelcontextprotocol/tasks"
SPEC = Path(__file__).with_name("workers.yaml").read_text("utf-8")
TOOL = """
import asyncio, os
from pathlib import Path
from generated.tools.{name} import {kind}Response, {kind}Tool, NoDataError

class {kind}({kind}Tool):
    async def execute(self, request, context):
        with Path("starts.txt").open("a") as starts:
            starts.write(f"{{request.year}} {{os.getpid()}}\\n")
        await context.report_progress(1, 2, "half")
        await asyncio.sleep(request.seconds)
        if request.year % 7 == 0:
            raise NoDataError
        return {kind}Response(pages=request.year)
"""


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path) as server:
        yield server


@pytest.fixture
def reports(project: Project, redis: RedisServer) -> Project:
    for name, kind, idempotent in (("report", "Report", "false"), ("summary", "Summary", "true")):
        spec = SPEC.replace("NAME", name).replace("IDEMPOTENT", idempotent)
        project.add_tool(name, spec, TOOL.format(name=name, kind=kind))
    project.generate()
    project.env |= {"TOOLGEN_TASK_QUEUE": redis.url, "TOOLGEN_TASK_KEY": KEY, "TOOLGEN_GRACE": "2"}
    return project


def starts(project: Project) -> list[list[str]]:
    file = project.root / "starts.txt"
    return [line.split() for line in file.read_text().splitlines()] if file.exists() else []


@asynccontextmanager
async def worker(
    project: Project, name: str = "worker", **env: str
) -> AsyncIterator[subprocess.Popen[bytes]]:
    """Run `toolgen worker` until the end of the block."""
    with (project.root / f"{name}.log").open("w+") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "toolgen", "worker"],
            cwd=project.root,
            env=project.environment(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
        )
        try:
            while "running queued calls" not in (project.root / f"{name}.log").read_text():
                assert process.poll() is None, (project.root / f"{name}.log").read_text()
                await asyncio.sleep(0.05)
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
            await asyncio.to_thread(process.wait, 60)


async def request(url: str, method: str, params: dict[str, Any], *, tasks: bool = True) -> Any:
    """Return the result of a request of a client since 2026-07-28, which knows tasks."""
    prefix = "io.modelcontextprotocol/"
    capabilities: dict[str, Any] = {"extensions": {TASKS: {}}} if tasks else {}
    meta = {f"{prefix}protocolVersion": "2026-07-28", f"{prefix}clientCapabilities": capabilities}
    meta |= params.pop("_meta", {})
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    headers = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
    }
    name = params.get("name", params.get("taskId"))
    headers |= {} if name is None else {"mcp-name": name}
    async with httpx2.AsyncClient(timeout=60) as client:
        answer = (await client.post(url, json=message, headers=headers)).json()
    return answer.get("result") or answer["error"]


async def ended(url: str, task_id: str) -> Any:
    """Return a task when it has ended."""
    while True:
        found = await request(url, "tasks/get", {"taskId": task_id})
        if found.get("status") != "working":
            return found
        await asyncio.sleep(0.1)


@ERAS
async def test_a_client_without_tasks_waits_with_progress(reports: Project, era: Any) -> None:
    seen = []

    async def progress(*report: Any) -> None:
        seen.append(report)

    async with (
        asyncio.timeout(90),
        worker(reports) as process,
        reports.server() as server,
        Client(server.url, mode=era) as client,
    ):
        work = {"year": 2026, "seconds": 2.5}
        result = await client.call_tool("report", work, progress_callback=progress)
        assert result.structured_content == {"pages": 2026}
        assert error_code(await client.call_tool("report", {"year": 7})) == "no_data"
        assert error_code(await client.call_tool("report", {"year": "x"})) == "invalid_request"
        assert {pid for _, pid in starts(reports)} == {str(process.pid)}
    assert seen == [(1, 2, "half")]


async def test_a_client_with_the_extension_gets_a_task(reports: Project) -> None:
    async with asyncio.timeout(90), worker(reports), reports.server() as server:
        url = server.url
        found = await request(url, "server/discover", {})
        assert TASKS in found["capabilities"]["extensions"]
        call = {"name": "report", "arguments": {"year": 2026, "seconds": 1}}
        made = await request(url, "tools/call", dict(call))
        assert made["resultType"] == "task"
        assert (made["status"], made["ttlMs"]) == ("working", 3_600_000)
        working = await request(url, "tasks/get", {"taskId": made["taskId"]})
        assert working["status"] == "working"
        done = await ended(url, made["taskId"])
        assert done["status"] == "completed"
        assert done["result"]["structuredContent"] == {"pages": 2026}
        failed = await request(url, "tools/call", {"name": "report", "arguments": {"year": 7}})
        done = await ended(url, failed["taskId"])
        assert done["status"] == "completed", "an error of a tool is a result"
        assert done["result"]["isError"] is True
        assert done["result"]["_meta"]["toolgen/error"]["code"] == "no_data"
        nothing = await request(url, "tasks/get", {"taskId": "other"})
        assert nothing["code"] == -32602
        without = await request(url, "tasks/get", {"taskId": made["taskId"]}, tasks=False)
        assert without["code"] == -32021
        inline = await request(url, "tools/call", {"name": "echo", "arguments": {"text": "a"}})
        assert inline["structuredContent"] == {"text": "a"}


async def test_a_task_is_cancelled_in_the_middle_and_before_its_start(reports: Project) -> None:
    async with asyncio.timeout(90), reports.server() as server:
        url = server.url
        call = {"name": "report", "arguments": {"year": 2026, "seconds": 60}}
        unstarted = await request(url, "tools/call", dict(call))
        assert (await request(url, "tasks/cancel", {"taskId": unstarted["taskId"]}))[
            "resultType"
        ] == "complete"
        assert (await ended(url, unstarted["taskId"]))["status"] == "cancelled"
        async with worker(reports):
            started = await request(url, "tools/call", dict(call))
            while not starts(reports):
                await asyncio.sleep(0.05)
            await request(url, "tasks/cancel", {"taskId": started["taskId"]})
            assert (await ended(url, started["taskId"]))["status"] == "cancelled"
    assert len(starts(reports)) == 1


async def test_a_stopped_worker_hands_an_idempotent_task_on(reports: Project) -> None:
    async with asyncio.timeout(120), reports.server() as server:
        async with worker(reports) as first:
            summary = await request(
                server.url, "tools/call", {"name": "summary", "arguments": {"year": 1, "seconds": 6}}
            )
            report = await request(
                server.url, "tools/call", {"name": "report", "arguments": {"year": 2, "seconds": 60}}
            )
            while len(starts(reports)) < 2:
                await asyncio.sleep(0.05)
            first.terminate()
            assert await asyncio.to_thread(first.wait, 60) == 0
        async with worker(reports, "second"):
            done = await ended(server.url, summary["taskId"])
            assert done["result"]["structuredContent"] == {"pages": 1}
        lost = await ended(server.url, report["taskId"])
        assert lost["result"]["_meta"]["toolgen/error"]["code"] == "outcome_unknown"
    assert Counter(year for year, _ in starts(reports)) == {"1": 2, "2": 1}


async def test_what_somebody_writes_to_redis_is_not_run(reports: Project, redis: RedisServer) -> None:
    from saq.queue.redis import RedisQueue

    queue = RedisQueue.from_url(redis.url, name="toolgen")
    for function, values in (
        ("run", {"name": "task:1", "sealed": "e30"}),
        ("run", {"name": "task:2", "sealed": 5}),
        ("os.system", {"command": "touch harmed"}),
    ):
        await queue.enqueue(function, **values)
    await queue.redis.rpush("saq:toolgen:queued", b"nothing", b"\xff")
    async with asyncio.timeout(90), worker(reports), reports.server() as server:
        result = await request(server.url, "tools/call", {"name": "report", "arguments": {"year": 1}})
        assert (await ended(server.url, result["taskId"]))["status"] == "completed"
    await queue.disconnect()
    assert [year for year, _ in starts(reports)] == ["1"]


async def test_redis_away_refuses_long_work_and_nothing_else(reports: Project, redis: RedisServer) -> None:
    async with (
        asyncio.timeout(120),
        worker(reports),
        reports.server() as server,
        Client(server.url) as client,
    ):
        redis.stopped()
        long, short = await asyncio.gather(
            client.call_tool("report", {"year": 1}), client.call_tool("echo", {"text": "a"})
        )
        assert error_code(long) in ("not_ready", "outcome_unknown")
        assert not short.is_error
        redis.restored()
        result = await client.call_tool("report", {"year": 2})
        assert result.structured_content == {"pages": 2}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
async def test_a_worker_that_is_stopped_while_redis_is_away_ends_as_usual(
    reports: Project, redis: RedisServer, number: int, code: int
) -> None:
    async with worker(reports) as process:
        redis.stopped()
        process.send_signal(number)
        found = await asyncio.to_thread(process.wait, 60)
    assert found == code
    assert "bug in toolgen" not in (reports.root / "worker.log").read_text()


@pytest.mark.parametrize("away", [RedisServer.stopped, RedisServer.frozen], ids=["stopped", "frozen"])
def test_a_worker_whose_queue_cannot_be_reached_at_the_start_ends_with_a_message(
    reports: Project, redis: RedisServer, away: Callable[[RedisServer], None]
) -> None:
    away(redis)
    done = reports.toolgen("worker")
    assert done.returncode == 2, done.stderr
    assert "the queue cannot be reached: Redis: " in done.stderr
    assert "does TOOLGEN_TASK_QUEUE name a server that runs?" in done.stderr
    assert "running queued calls" not in done.stdout + done.stderr


class Killer:
    """Starts workers one after the other, and kills each after a random time."""

    def __init__(self, project: Project, kills: int) -> None:
        self.project, self.left = project, kills

    async def run(self, name: str) -> None:
        while self.left > 0:
            async with worker(self.project, name) as process:
                await asyncio.sleep(random.uniform(0.1, 1.5))
                process.kill()
                self.left -= 1


async def submit_until(killer: Killer, url: str) -> dict[str, tuple[str, int]]:
    """Submit tasks until all kills are done. Return task id → its tool and its year, which is its number."""
    made: dict[str, tuple[str, int]] = {}
    while killer.left > 0:
        name, year = random.choice(["report", "summary"]), len(made) + 1
        arguments = {"year": year, "seconds": random.uniform(0, 1.0)}
        task = await request(url, "tools/call", {"name": name, "arguments": arguments})
        made[task["taskId"]] = (name, year)
        await asyncio.sleep(0.2)
    return made


async def test_every_task_ends_once_whatever_kills_its_workers(reports: Project) -> None:
    """`make test-redis KILLS=500` sets the number of kills."""
    kills = int(os.environ.get("KILLS", "4"))
    random.seed(kills)

    killer = Killer(reports, kills)
    async with reports.server() as server:
        killing = [asyncio.create_task(killer.run(f"worker-{number}")) for number in range(2)]
        made = await submit_until(killer, server.url)
        await asyncio.gather(*killing)
        async with worker(reports, "last"):
            results = {}
            for task_id in made:
                done = await ended(server.url, task_id)
                assert done["status"] == "completed"
                results[task_id] = done["result"]
            for task_id, result in results.items():
                assert (await ended(server.url, task_id))["result"] == result, "it ends once"
    codes: Counter[str] = Counter()
    for task_id, (_, year) in made.items():
        result = results[task_id]
        code = result.get("_meta", {}).get("toolgen/error", {}).get("code", "result")
        codes[code] += 1
        assert code in ("no_data", "outcome_unknown") or result["structuredContent"] == {"pages": year}
    begun = Counter(int(year) for year, _ in starts(reports))
    for name, year in made.values():
        assert begun[year] <= (1 if name == "report" else 3)
    print(f"{kills} kills, {len(made)} tasks: {dict(codes)}")
