"""Generated servers under the official MCP Inspector and the official conformance suite."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from tests.end_to_end.replicas import free_port

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
def served(
    folder: Path, environment: dict[str, str], command: Sequence[str] = tuple(SERVER)
) -> Iterator[str]:
    port = free_port()
    server = subprocess.Popen([*command, "--http", "--port", str(port)], cwd=folder, env=environment)
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
    server = [*SERVER, "-e", "TOOLGEN_SCOPES=data:read"]  # the Inspector gives servers no other variables
    done = inspect(environment, *server, *call, '{"query": "SELECT 1 AS one"}')
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["structuredContent"]["rows"] == [[1]]
    refused = inspect(environment, *server, *call, '{"query": "DELETE FROM items"}')
    assert refused.returncode == 5  # the Inspector's code for isError
    assert "Error [not_read_only]" in refused.stdout


def test_inspector_finds_no_fault_in_the_schemas(environment: dict[str, str]) -> None:
    done = inspect(environment, *SERVER, "--method", "tools/list", "--strict", "-q")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def fixture_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fixture") / "project"
    shutil.copytree(Path(__file__).parent / "project", folder)
    subprocess.run([sys.executable, "-m", "toolgen", "generate"], cwd=folder, check=True)
    return folder


def expected_failures() -> dict[str, str]:
    """Return the checks that are known to fail, with the reason."""
    groups = yaml.safe_load((Path(__file__).parent / "expected.yaml").read_text())
    return {check: group["reason"] for group in groups for check in group["checks"]}


@pytest.mark.parametrize(
    ("version", "flags", "least"),
    [("2025-11-25", [], 66), ("2026-07-28", [], 133), ("2026-07-28", ["--stateless"], 133)],
    ids=str,
)
def test_every_scenario_of_the_suite(
    environment: dict[str, str],
    fixture_folder: Path,
    tmp_path: Path,
    version: str,
    flags: list[str],
    least: int,
) -> None:
    """Only the checks of `expected.yaml` fail, and all of those that are part of the version do."""
    with served(fixture_folder, environment, [sys.executable, "serve.py", *flags]) as url:
        command = [*SUITE, "server", "--url", url, "--suite", "all", "--spec-version", version]
        done = subprocess.run(
            [*command, "-o", str(tmp_path)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    checks = [
        check for file in sorted(tmp_path.glob("*/checks.json")) for check in json.loads(file.read_text())
    ]
    statuses: dict[str, set[str]] = {}
    for check in checks:
        statuses.setdefault(check["id"], set()).add(check["status"])
    failed = {check["id"]: check.get("errorMessage", "") for check in checks if check["status"] == "FAILURE"}
    expected = {check: reason for check, reason in expected_failures().items() if check in statuses}
    passed = sum(check["status"] == "SUCCESS" for check in checks)
    print(f"\n{version}: {passed} of {passed + len(failed)} checks pass")
    for check in sorted(failed):
        print(f"  {check}: {expected.get(check, 'UNEXPECTED ' + failed[check])}")
    assert failed.keys() == expected.keys(), done.stdout[-3000:]
    assert passed >= least, "fewer checks were made than before"


def test_every_expected_failure_is_still_part_of_the_suite() -> None:
    """A check that was renamed must not stay in the list for ever."""
    source = (PACKAGES / "node_modules/@modelcontextprotocol/conformance/dist/index.js").read_text()
    assert [check for check in expected_failures() if check not in source] == []
