"""Generated servers under the official MCP Inspector and the official conformance suite."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .conftest import PACKAGES, ROOT

pytestmark = pytest.mark.conformance

INSPECTOR = [
    "node",
    f"{PACKAGES}/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
]
SUITE = ["node", f"{PACKAGES}/node_modules/.bin/conformance"]
SERVER = [sys.executable, "-m", "generated.mcp_server"]


def inspect(environment: dict[str, str], *argv: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [*INSPECTOR, "--cli", *argv]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120)


@contextmanager
def served(folder: Path, environment: dict[str, str]) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([*SERVER, "--http", "--port", str(port)], cwd=folder, env=environment)
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.terminate()
        server.wait(20)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_inspector_lists_the_gallery_as_exported(environment: dict[str, str], era: str) -> None:
    done = inspect(
        environment, *SERVER, "--protocol-era", era, "--method", "tools/list", "-q", "--format", "json"
    )
    assert done.returncode == 0, done.stderr
    exported = subprocess.run(
        [sys.executable, "-m", "toolgen", "export", "mcp"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["result"]["tools"] == json.loads(exported.stdout)["tools"]


def test_inspector_calls(environment: dict[str, str]) -> None:
    call = ["--method", "tools/call", "--tool-name", "sql_query", "--tool-args-json"]
    done = inspect(environment, *SERVER, *call, '{"query": "SELECT 1 AS one"}')
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["structuredContent"]["rows"] == [[1]]
    refused = inspect(environment, *SERVER, *call, '{"query": "DELETE FROM items"}')
    assert refused.returncode == 5  # the Inspector's code for isError
    assert "Error [not_read_only]" in refused.stdout


def test_inspector_finds_no_fault_in_the_schemas(environment: dict[str, str]) -> None:
    done = inspect(environment, *SERVER, "--method", "tools/list", "--strict", "-q")
    assert done.returncode == 0, done.stdout + done.stderr


def test_inspector_over_http(environment: dict[str, str]) -> None:
    with served(ROOT, environment) as url:
        done = inspect(
            environment, url, "--transport", "http", "--method", "tools/list", "-q", "--format", "json"
        )
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["result"]["tools"]) >= 5


@pytest.fixture(scope="module")
def fixture_url(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("fixture") / "project"
    shutil.copytree(Path(__file__).parent / "project", folder)
    subprocess.run([sys.executable, "-m", "toolgen", "generate"], cwd=folder, check=True)
    with served(folder, environment) as url:
        yield url


SCENARIOS = [
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-error",
    "json-schema-2020-12",
    "dns-rebinding-protection",
    "server-sse-multiple-streams",
    "http-header-validation",
]


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_suite(
    environment: dict[str, str], fixture_url: str, tmp_path: Path, scenario: str, version: str
) -> None:
    command = [*SUITE, "server", "--url", fixture_url, "--scenario", scenario, "--spec-version", version]
    done = subprocess.run(
        [*command, "-o", str(tmp_path)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    if "SKIPPED" in done.stdout:
        pytest.skip(f"{scenario} is not part of {version}")
    assert done.returncode == 0, done.stdout + done.stderr
