"""`toolgen mock --record`: calls are passed on to a real server, and its answers become examples."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from toolgen.cli.output import say
from toolgen.runtime import ToolResponse
from toolgen.sources.mcp_client.connection import Upstream
from toolgen.testing.mock.recording import Recorder
from toolgen.testing.mock.recording_tool import recording_tool
from toolgen.testing.mock.toolkit import ServedSpecs

from tests.end_to_end.project import Project
from tests.preloaded import python_command
from tests.testing.mock_samples import ORDER, write_specs

WITHOUT_EXAMPLES = ORDER.partition("examples:")[0]
PING = "name: ping\ndescription: Ping.\ninput_schema: {type: object}\n"


@pytest.fixture
def front(tmp_path: Path) -> Path:
    """A project without examples."""
    return write_specs(tmp_path / "front", order=WITHOUT_EXAMPLES, ping=PING)


@pytest.fixture
def behind(tmp_path: Path) -> Path:
    """The project of the real server: a mock, whose answers are known."""
    return write_specs(tmp_path / "behind", order=ORDER)


def command_of(folder: Path, *flags: str) -> str:
    return shlex.join([*python_command(os.environ), "-m", "toolgen", "-C", str(folder), "mock", *flags])


def record(front: Path, server: str, calls: list[tuple[str, Mapping[str, Any]]]) -> list[ToolResponse]:
    """Make calls of the front, which passes them on."""

    async def run() -> list[ToolResponse]:
        upstream, recorder = Upstream(server, say), Recorder(front)
        served = ServedSpecs(front, lambda contract: recording_tool(contract, upstream, recorder, say))
        async with served.toolkit:
            return [await served.toolkit.call(name, arguments) for name, arguments in calls]

    return asyncio.run(run())


def examples(front: Path) -> Any:
    return yaml.safe_load((front / "specs" / "order.yaml").read_text()).get("examples", [])


def code_of(response: ToolResponse) -> str | None:
    return None if response.error is None else response.error.code


def test_answers_of_a_server_over_stdio_become_examples(
    front: Path, behind: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    brakes, saddle = {"article": "brakes", "count": 2}, {"article": "saddle"}
    calls = [("order", brakes), ("order", saddle), ("order", brakes), ("ping", {})]
    responses = record(front, command_of(behind), calls)
    assert responses[0].content == {"number": 7, "article": "brakes", "price": 12.5}
    assert [code_of(each) for each in responses] == [None, "out_of_stock", None, "http_error"]
    assert [(each["name"], each["input"]) for each in examples(front)] == [
        ("recorded 1", brakes),
        ("recorded 2", saddle),
    ]
    assert examples(front)[0]["output"] == responses[0].content
    assert examples(front)[1]["error"] == "out_of_stock"
    assert "order: wrote the example 'recorded 1' to specs/order.yaml\n" in capsys.readouterr().err


def test_the_log_of_a_server_is_shown_line_by_line(
    front: Path, behind: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talk = "printf 'up\\033[2J\\n::error::x\\nlast' >&2"
    server = shlex.join(["sh", "-c", f"{talk}; exec {command_of(behind)}"])
    record(front, server, [("order", {"article": "brakes", "count": 2})])
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if line.startswith(("up", "\\u003a"))] == [
        "up\\u001b[2J",
        "\\u003a:error::x",
    ]


def test_answers_of_a_server_over_http_are_checked(
    front: Path, behind: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = front / "specs" / "order.yaml"
    spec.write_text(WITHOUT_EXAMPLES.replace("number: {type: integer, minimum: 1}", "number: {type: string}"))

    async def run() -> list[ToolResponse]:
        async with Project(behind).server(run=("-m", "toolgen", "mock")) as server:
            call = ("order", {"article": "brakes", "count": 2})
            return await asyncio.to_thread(record, front, server.url, [call])

    assert [code_of(each) for each in asyncio.run(run())] == ["invalid_response"]
    assert examples(front) == []
    assert "order: this call was not recorded: its output is not valid" in capsys.readouterr().err


@pytest.mark.parametrize(
    "server",
    [
        "no-such-command --flag",
        "'unclosed",
        shlex.join([sys.executable, "-c", "print('no protocol')"]),
        "http://127.0.0.1:9/mcp",
    ],
)
def test_a_server_that_does_not_answer_is_unreachable(front: Path, server: str) -> None:
    assert [code_of(each) for each in record(front, server, [("ping", {}), ("ping", {})])] == [
        "unreachable"
    ] * 2
