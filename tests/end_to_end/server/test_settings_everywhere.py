"""Settings and log records are the same however the server is started."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import re
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from toolgen.runtime.settings import Settings, variable

from tests.end_to_end.calls.test_logs import records
from tests.end_to_end.project import Project
from tests.end_to_end.raw_http import Connection, connect
from tests.end_to_end.replicas import free_port
from tests.end_to_end.slow_tools import add_tools, begun, nap
from tests.samples import load_beside, sample

from .test_asgi import MOUNTED, process

SETTINGS = """
async def execute(self, request, context):
    return dataclasses.asdict(catalog.default_toolkit().settings)
"""
BIG = "async def execute(self, request, context): return 'x' * request.size"
VALUES: dict[str, str] = load_beside(__file__, "settings.yaml")
"""A value other than the default for each setting that all servers have; the others are `OTHERS`."""
OTHERS = {"code_mode", "stateless", "auth_tokens", "auth_issuer", "auth_audience", "auth_jwks"}
OF_FEATURES = {
    *("confirmation_key", "confirmation_store", "confirmation_expiry"),
    *("approvers", "approval_url", "receipts", "in_flight"),
    *("rate_limit_store", "idempotency_store", "task_queue", "task_key"),
}


@dataclass(frozen=True)
class Start:
    """A way to start the server."""

    command: str  # with {port}
    path: str = "/mcp"


STARTS = {
    "python": Start("-m generated.mcp_server --http --port {port}"),
    "uvicorn": Start("-m uvicorn generated.mcp_server:app --port {port}"),
    "gunicorn": Start("-m gunicorn generated.mcp_server:app -k asgi -b 127.0.0.1:{port}"),
    "mount": Start("-m uvicorn mounted:app --port {port}", "/tools/mcp"),
}
EVERYWHERE = pytest.mark.parametrize("how", sample(STARTS, (0, 1)))


@pytest.fixture
def served(project: Project) -> Project:
    """A generated project whose tools show the effects of settings."""
    add_tools(project)
    before = "import dataclasses\nfrom generated import catalog"
    project.add_plain_tool("settings", SETTINGS, before=before, more="output_schema: {type: object}")
    project.add_plain_tool("big", BIG, properties="size: {type: integer}")
    project.write("mounted.py", MOUNTED)
    project.generate()
    return project


@dataclass
class Running:
    """A server that runs."""

    process: subprocess.Popen[bytes]
    url: str


@asynccontextmanager
async def started(project: Project, how: str, **env: str) -> AsyncIterator[Running]:
    """Start the server in one of the ways."""
    port, start = free_port(), STARTS[how]
    async with process(project, port, *start.command.format(port=port).split(), **env) as server:
        yield Running(server, f"http://127.0.0.1:{port}{start.path}")


async def error_of(connection: Connection, tool: str, **arguments: Any) -> str:
    """Return the error code of a call."""
    answer = (await connection.call(tool, **arguments)).message["result"]
    code: str = answer["_meta"]["toolgen/error"]["code"]
    return code


def test_each_setting_has_a_value() -> None:
    assert {each.name for each in dataclasses.fields(Settings)} == VALUES.keys() | OTHERS | OF_FEATURES


@EVERYWHERE
async def test_settings_have_effects(served: Project, tmp_path: Path, how: str) -> None:
    env = {variable(name): value for name, value in VALUES.items()}

    async with started(served, how, **env) as server, connect(server.url) as connection:
        wanted = Settings.from_environment(env)
        found = (await connection.call("settings")).message["result"]["structuredContent"]
        assert found == json.loads(json.dumps(dataclasses.asdict(wanted)))
        assert len((await connection.ask("tools/list")).message["result"]["tools"]) == 2
        assert await error_of(connection, "big", size=10_000) == "too_large"
        assert await error_of(connection, "count", file=str(tmp_path / "c")) == "too_large"
        async with connect(server.url) as large:
            assert (await large.call("echo", text="x" * 30_000)).status == 413
        async with connect(server.url) as named:
            named.headers = {"host": "tools.example.com", "origin": "http://web.example.com"}
            assert (await named.call("echo", text="x")).status == 200
        async with connect(server.url, session=True) as only:
            with pytest.raises(AssertionError, match="status=503"):
                async with connect(server.url, session=True):
                    pass
            assert (await only.call("echo", text="x")).status == 200
        async with connect(server.url) as busy:
            await busy.send("tools/call", {"name": "hang", "arguments": nap(1, tmp_path / "h")})
            await begun(tmp_path / "h")
            assert await error_of(connection, "hang", **nap(1, tmp_path / "i")) == "overloaded"
            assert (await busy.receive()).status == 200
    events = [(each.get("tool_name"), each["event"]) for each in records(log_of(served)) if "event" in each]
    assert ("settings", "started") in events  # at DEBUG
    assert events.count(("settings", "finished")) == 1


@EVERYWHERE
async def test_an_implementation_that_does_not_load_is_reported_and_refused_with_strict_start(
    served: Project, how: str
) -> None:
    served.write("tools/big.py", "import absent_module\n")
    served.write("tools/settings.py", "def\n")

    async with started(served, how) as server, connect(server.url) as connection:
        assert (await connection.call("echo", text="x")).status == 200
        async with asyncio.timeout(60):
            while "tools/settings.py" not in log_of(served):
                await asyncio.sleep(0.05)
    done = served.python(*STARTS[how].command.format(port=free_port()).split(), TOOLGEN_STRICT_START="1")
    assert done.returncode != 0
    assert "tools.big failed with ModuleNotFoundError" in done.stdout + done.stderr


CONFIGURED = """
import logging
{before}
from mounted import app
{after}
"""
BASIC = 'logging.basicConfig(format="OURS %(message)s", level="INFO")'
OWN = """
handler = logging.StreamHandler()
handler.setFormatter(logging.Formatter("OURS %(message)s"))
logging.getLogger("toolgen").addHandler(handler)
logging.getLogger("toolgen").setLevel("INFO")
"""


@pytest.mark.parametrize(
    ("before", "after"),
    sample([(BASIC, ""), ("", BASIC), (OWN, "")], (0,)),
    ids=["before", "after", "own handler"],
)
async def test_logging_of_the_application_is_not_touched(served: Project, before: str, after: str) -> None:
    served.write("configured.py", CONFIGURED.format(before=before, after=after))
    port = free_port()
    command = f"-m uvicorn configured:app --port {port}".split()

    async with (
        process(served, port, *command, TOOLGEN_LOG_FORMAT="json", TOOLGEN_LOG_LEVEL="debug"),
        connect(f"http://127.0.0.1:{port}/tools/mcp") as connection,
    ):
        assert (await connection.call("echo", text="x")).status == 200
    log = log_of(served)
    assert len(re.findall(r"^OURS tool echo finished", log, re.MULTILINE)) == 1
    assert log.count("tool echo") == 1  # no other record


def log_of(project: Project) -> str:
    """Return what the server has written to stdout and stderr."""
    return (project.root / "server.log").read_text()
