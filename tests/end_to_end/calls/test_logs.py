"""Undeclared errors are masked, values are not logged above DEBUG, and every call has one log record."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from tests.end_to_end.project import ERAS, HttpServer, Project, error_code, text_of

VALUE = "value-4711"  # represents personal data in arguments, responses and exceptions

SPEC = Path(__file__).with_name("logs.yaml").read_text("utf-8")
TOOL = """
import asyncio
from generated.tools.faulty import FaultyTool, SoldOutError
from toolgen.runtime import ToolError
from toolgen.runtime.errors import NotReadyError, TooLargeError

class NoStock(ToolError):
    code = "no_stock"

class Custom(TooLargeError):
    code = "my_own_code"

class Faulty(FaultyTool):
    async def execute(self, request, context):
        data = request.data
        match request.how:
            case "undeclared": raise NoStock(f"undeclared {data}")
            case "subclass": raise Custom(f"subclass {data}")
            case "declared": raise SoldOutError(f"declared {data}")
            case "reserved": raise NotReadyError(f"reserved {data}")
            case "crash":
                try:
                    int(data)
                except ValueError as error:
                    raise KeyError(data) from error
            case "group": raise ExceptionGroup(data, [ValueError(data)])
            case "response": return {"count": data}
            case "key": return {"count": 1, data: 2}
            case "slow": await asyncio.sleep(60)
        return {"count": 1}
"""


@pytest.fixture
def faulty(project: Project) -> Project:
    project.add_tool("faulty", SPEC, TOOL)
    project.generate()
    return project


def records(log: str) -> list[dict[str, Any]]:
    """Return the records of a JSON log."""
    return [json.loads(line) for line in log.splitlines() if line.startswith("{")]


async def call(server: HttpServer, how: str, name: str = "faulty") -> Any:
    async with server.client("auto") as client:
        return await client.call_tool(name, {"how": how, "data": VALUE})


@ERAS
async def test_an_undeclared_tool_error_is_masked(faulty: Project, era: str) -> None:
    async with faulty.stdio_client(era) as client:
        for how in ("undeclared", "subclass"):
            result = await client.call_tool("faulty", {"how": how, "data": VALUE})
            assert error_code(result) == "internal_error", how
            assert VALUE not in str(result), how
            assert re.search(r"Reference: [0-9a-f]{16}", text_of(result)), how
        passes = await client.call_tool("faulty", {"how": "declared", "data": VALUE})
        assert (error_code(passes), VALUE in text_of(passes)) == ("sold_out", True)
        passes = await client.call_tool("faulty", {"how": "reserved", "data": VALUE})
        assert (error_code(passes), VALUE in text_of(passes)) == ("not_ready", True)


async def test_values_are_only_logged_at_debug(faulty: Project) -> None:
    hows = ["undeclared", "declared", "reserved", "crash", "group", "response", "key", "slow", "well"]

    async def run(level: str) -> str:
        async with faulty.server(TOOLGEN_LOG_LEVEL=level, TOOLGEN_LOG_FORMAT="json") as server:
            for how in hows:
                await call(server, how)
        return server.log

    log = await run("info")
    assert VALUE not in log
    of_calls = [each for each in records(log) if "call_id" in each]
    found = [(each["level"], each.get("code")) for each in of_calls]
    assert found == [
        ("ERROR", "internal_error"),
        ("INFO", "sold_out"),
        ("WARNING", "not_ready"),
        ("ERROR", "internal_error"),
        ("ERROR", "internal_error"),
        ("ERROR", "invalid_response"),
        ("ERROR", "invalid_response"),
        ("WARNING", "timeout"),
        ("INFO", None),
    ]
    crash = of_calls[3]
    assert "KeyError" in crash["exception"]
    assert "ValueError" in crash["exception"]
    assert re.search(r'tools/faulty.py", line \d+, in execute', crash["exception"])
    broken = of_calls[5]
    assert "$.count: expected integer, got a string" in broken["message"]
    undeclared = of_calls[0]
    assert "NoStock" in undeclared["message"]
    assert "no_stock" in undeclared["message"]

    detailed = [each for each in records(await run("debug")) if each["logger"] == "toolgen.runtime"]
    assert {each["level"] for each in detailed if VALUE in json.dumps(each)} == {"DEBUG"}
    assert f"KeyError: '{VALUE}'" in json.dumps(detailed)


async def test_every_call_has_one_record_with_its_fields(faulty: Project) -> None:
    long = "n" * 500 + "\n2026-11-22T00:00:00.000Z INFO forged"

    async with faulty.server(TOOLGEN_LOG_FORMAT="json") as server, server.client("legacy") as client:
        await client.call_tool("faulty", {"how": "well"})
        await client.call_tool("faulty", {})
        for name in ("no_such_tool", long):
            with pytest.raises(MCPError):
                await client.call_tool(name, {})
    well, invalid, unknown, shortened = [each for each in records(server.log) if "call_id" in each]
    assert (well["tool_name"], well["event"], well["level"]) == ("faulty", "finished", "INFO")
    assert well["seconds"] >= 0
    assert re.fullmatch(r"[0-9a-f]{16}", well["call_id"])
    assert well["session_id"] == invalid["session_id"] != ""
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", well["time"])
    assert (invalid["event"], invalid["code"], invalid["level"]) == ("failed", "invalid_request", "INFO")
    assert (unknown["event"], unknown["code"], unknown["level"]) == ("failed", "unknown_tool", "INFO")
    assert unknown["tool_name"] == '"no_such_tool"'
    assert len(shortened["tool_name"]) < 100


async def test_text_records_have_time_level_logger_and_message(faulty: Project) -> None:
    async def run(**env: str) -> str:
        async with faulty.server(**env) as server:
            await call(server, "well")
            await call(server, "slow")
        return server.log

    log = await run()
    line = r"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z %s toolgen.runtime: tool faulty %s \(call [0-9a-f]{16}, .*\)$"
    assert re.search(line % ("INFO", "finished"), log)
    assert re.search(line % ("WARNING", "failed: timeout"), log)
    log = await run(TOOLGEN_LOG_LEVEL="warning")
    assert "finished" not in log
    assert "failed: timeout" in log


def test_toolgen_call_logs_in_the_chosen_format(faulty: Project) -> None:
    arguments = ("call", "faulty", "--input", json.dumps({"how": "crash", "data": VALUE}))
    done = faulty.toolgen(*arguments, TOOLGEN_LOG_FORMAT="json")
    assert done.returncode == 1
    assert VALUE not in done.stderr
    (record,) = records(done.stderr)
    assert (record["code"], record["level"]) == ("internal_error", "ERROR")
    quiet = faulty.toolgen("call", "faulty", "--input", '{"how": "well"}')
    assert (quiet.returncode, quiet.stderr) == (0, "")
