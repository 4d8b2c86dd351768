"""The generated server as an ASGI application: under uvicorn and gunicorn, and inside other applications."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.end_to_end.auth.test_scopes import BOB, shop, tokens_of
from tests.end_to_end.project import Project, bearer
from tests.end_to_end.raw_http import Answer, connect
from tests.end_to_end.replicas import free_port
from tests.end_to_end.slow_tools import SESSIONS, begun, nap
from tests.preloaded import python_command
from tests.samples import load_beside

__all__ = ["shop"]


MOUNTED = """
from fastapi import FastAPI
from generated.mcp_server import app as mcp_app

app = FastAPI(lifespan=mcp_app.lifespan)
app.mount("/tools", mcp_app)

@app.get("/health")
def health() -> str:
    return "well"
"""


@asynccontextmanager
async def process(
    project: Project, port: int, *command: str, **env: str
) -> AsyncIterator[subprocess.Popen[bytes]]:
    """Run a server process that listens on `port`; end it with SIGTERM."""
    environment = project.environment({"PYTHONPATH": str(project.root), **env})
    with (project.root / "server.log").open("w+") as log:
        started = subprocess.Popen(
            [*python_command(environment), *command],
            cwd=project.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        try:
            async with asyncio.timeout(60):
                while True:
                    assert started.poll() is None, (project.root / "server.log").read_text()
                    try:
                        _, writer = await asyncio.open_connection("127.0.0.1", port)
                    except OSError:
                        await asyncio.sleep(0.05)
                    else:
                        writer.close()
                        break
            yield started
        finally:
            if started.poll() is None:
                started.send_signal(signal.SIGTERM)
            try:
                await asyncio.to_thread(started.wait, 40)
            except subprocess.TimeoutExpired:
                started.kill()
                raise


async def test_uvicorn_with_two_workers(serving: Project) -> None:
    port = free_port()
    command = ("-m", "uvicorn", "generated.mcp_server:app", "--workers", "2", "--port", str(port))

    async with process(serving, port, *command, TOOLGEN_STATELESS="1", TOOLGEN_PAGE_SIZE="2"):
        for _ in range(4):
            async with connect(f"http://127.0.0.1:{port}/mcp") as connection:
                answer = await connection.call("echo", text="x")
                assert answer.message["result"]["structuredContent"] == {"text": "x"}
                listed = (await connection.ask("tools/list")).message["result"]
                assert len(listed["tools"]) == 2  # settings are environment variables


GUNICORN_CONF = Path(__file__).parents[3] / "examples" / "deploy" / "gunicorn.conf.py"
GUNICORN = ("-m", "gunicorn", "-c", str(GUNICORN_CONF), "--workers", "1", "-b", "127.0.0.1:{port}")


async def get(port: int, path: str) -> Answer:
    """Return the answer to a GET on a connection of its own."""
    async with connect(f"http://127.0.0.1:{port}{path}") as connection:
        await connection.request("GET")
        return await connection.receive()


async def test_the_standard_variables_export_metrics_under_an_asgi_server(serving: Project) -> None:
    port, metrics_port = free_port(), free_port()
    command = [word.format(port=port) for word in GUNICORN]
    # "localhost", the default, may be ::1
    env = {"OTEL_METRICS_EXPORTER": "prometheus", "OTEL_EXPORTER_PROMETHEUS_HOST": "127.0.0.1"}

    async with process(serving, port, *command, **env, OTEL_EXPORTER_PROMETHEUS_PORT=str(metrics_port)):
        async with connect(f"http://127.0.0.1:{port}/mcp") as connection:
            await connection.call("echo", text="a")
        found = (await get(metrics_port, "/metrics")).body.decode()
    assert "gen_ai_execute_tool_duration_seconds_count{gen_ai_tool_name=" in found


@SESSIONS
async def test_a_mount_in_fastapi(serving: Project, session: bool) -> None:
    port = free_port()
    serving.write("mounted.py", MOUNTED)

    async with process(serving, port, "-m", "uvicorn", "mounted:app", "--port", str(port)):
        async with connect(f"http://127.0.0.1:{port}/tools/mcp", session=session) as connection:
            answer = await connection.call("echo", text="x")
            assert answer.message["result"]["structuredContent"] == {"text": "x"}
        async with connect(f"http://127.0.0.1:{port}/health") as connection:
            await connection.request("GET")
            assert (await connection.receive()).body == b'"well"'
        async with connect(f"http://127.0.0.1:{port}/tools/other") as connection:
            await connection.request("GET")
            assert (await connection.receive()).status == 404


async def test_uvicorn_answers_calls_in_flight_when_it_stops(serving: Project, tmp_path: Path) -> None:
    port = free_port()
    command = ("-m", "uvicorn", "generated.mcp_server:app", "--port", str(port))

    async with process(serving, port, *command) as server:
        async with connect(f"http://127.0.0.1:{port}/mcp") as connection:
            await connection.send("tools/call", {"name": "nap", "arguments": nap(3, tmp_path / "a")})
            await begun(tmp_path / "a")
            server.send_signal(signal.SIGTERM)
            answer = await connection.receive()
        assert answer.message["result"]["content"][0]["text"] == "rested"
        assert await asyncio.to_thread(server.wait, 30) in (0, -signal.SIGTERM)


@pytest.mark.parametrize(("flags", "env", "said"), load_beside(__file__, "asgi.yaml"))
def test_an_invalid_setting_is_reported_in_one_line(
    serving: Project, flags: list[str], env: dict[str, str], said: str
) -> None:
    done = serving.python("-m", "generated.mcp_server", *flags, **env)
    assert (done.returncode, done.stderr, done.stdout) == (2, said, "")


async def test_a_misspelt_variable_is_said_under_uvicorn(serving: Project) -> None:
    port = free_port()
    command = ("-m", "uvicorn", "generated.mcp_server:app", "--port", str(port))

    async with process(serving, port, *command, TOOLGEN_CONFIRMATION_KYE="x"):
        log = (serving.root / "server.log").read_text()
    assert "TOOLGEN_CONFIRMATION_KYE is not known: did you mean 'TOOLGEN_CONFIRMATION_KEY'?" in log


READABLE = "access-control-allow-origin"
PAGE = "https://app.example"
PREFLIGHT = {"access-control-request-headers": "authorization, mcp-session-id, mcp-method, mcp-param-region"}
REQUESTS: list[tuple[dict[str, str], int, str | None]] = [
    ({"host": "TOOLS.example.com"}, 200, None),
    ({"host": "b.example:8443", "origin": "HTTPS://b.example"}, 200, None),
    ({"origin": "https://evil.example"}, 403, None),
    ({"origin": "http://localhost:5173"}, 200, None),
    ({"origin": PAGE, "mcp-session-id": "0"}, 404, PAGE),
    ({"origin": PAGE, "authorization": ""}, 401, PAGE),
    ({"origin": "app://x:9"}, 200, "app://x:9"),
]
"""Headers, the status, and the origin whose pages can read the answer."""


@pytest.mark.parametrize("path", ["", "/"])
async def test_only_allowed_hosts_and_pages_are_answered(shop: Project, path: str) -> None:
    names = ("--allowed-host", "Tools.example.com", "--allowed-host", "b.example:*")
    pages = ("--allowed-origin", "https://App.example", "--allowed-origin", "app://x:*")

    async with shop.server("--auth-tokens", tokens_of(shop), *names, *pages) as server:
        for sent, status, readable in REQUESTS:
            async with connect(server.url + path) as connection:
                connection.headers = bearer(BOB) | sent
                answer = await connection.ask("tools/list")
                assert (answer.status, answer.headers.get(READABLE)) == (status, readable), sent
        assert "mcp-session-id, " in answer.headers["access-control-expose-headers"]
        for origin, status, readable in ((PAGE, 200, PAGE), (f"{PAGE}.x", 400, None)):
            async with connect(server.url + path) as connection:
                connection.headers = PREFLIGHT | {"origin": origin, "access-control-request-method": "DELETE"}
                await connection.request("OPTIONS")
                answer = await connection.receive()
                assert (answer.status, answer.headers.get(READABLE)) == (status, readable)
                assert [*PREFLIGHT.values()] == [answer.headers["access-control-allow-headers"]]
