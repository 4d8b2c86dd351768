"""Servers that lie, disappear, change or cannot be reached: each is a clear error."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from mcp import Client
from toolgen.client import (
    Block,
    ConnectError,
    ContractDriftError,
    ContractDriftWarning,
    ProtocolError,
    UndeclaredContentWarning,
)
from toolgen.runtime.errors import InvalidResponseError, UnreachableError
from toolgen.serving.listed_tool import for_handshake_era
from toolgen.upstream.client.drift import check_drift

from .conftest import PNG
from .test_calls import item

SERVER = Path(__file__).with_name("strange_server.py")


@pytest.fixture(scope="module")
def listed(folder: Path) -> list[dict[str, Any]]:
    """What the honest server lists, as a server of the older era does."""
    return for_handshake_era(json.loads((folder / "toolgen.lock").read_text())["tools"])


class Strange:
    """Writes what the strange server says; `command` starts it."""

    def __init__(self, path: Path, tools: list[dict[str, Any]]) -> None:
        self.path, self.tools = path, json.loads(json.dumps(tools))

    def says(self, answer: Any = "die") -> list[str]:
        self.path.write_text(json.dumps({"tools": self.tools, "answer": answer}))
        return [sys.executable, str(SERVER), str(self.path)]

    def tool(self, name: str) -> dict[str, Any]:
        return next(tool for tool in self.tools if tool["name"] == name)


@pytest.fixture
def strange(tmp_path: Path, listed: list[dict[str, Any]]) -> Strange:
    return Strange(tmp_path / "said.json", listed)


async def test_an_answer_against_the_contract_never_arrives(client: ModuleType, strange: Strange) -> None:
    lie = {"content": [], "structuredContent": {"id": "seven", "items": []}}
    async with client.CafeClient.connect(strange.says(lie)) as cafe:
        with pytest.raises(InvalidResponseError, match=r"id: expected integer, got the string"):
            await cafe.order(items=[item("A")])


async def test_a_key_like_the_python_name_of_a_field_is_not_that_field(
    client: ModuleType, strange: Strange
) -> None:
    answer = {"content": [], "structuredContent": {"found": [], "took_seconds": "long"}}
    async with client.CafeClient.connect(strange.says(answer)) as cafe:
        response = await cafe.search()
    assert response.took_seconds is None
    assert response.model_dump(by_alias=True, exclude_unset=True) == answer["structuredContent"]


async def test_blocks_that_a_contract_does_not_declare_are_not_lost(
    client: ModuleType, strange: Strange
) -> None:
    image = {"type": "image", "data": PNG, "mimeType": "image/png"}
    texts = [{"type": "text", "text": text} for text in ('{"calls": 1}', "one call")]
    answer = {"content": [*texts, image], "structuredContent": {"calls": 1}}
    found: list[Block] = []
    async with client.CafeClient.connect(strange.says(answer)) as cafe:
        assert (await cafe.with_options(on_content=found.extend).slow(seconds=0)).calls == 1
        with pytest.warns(UndeclaredContentWarning, match=r"slow sent more than it declares: image\."):
            await cafe.slow(seconds=0)
    assert [(each.type, each.data.decode(errors="replace")[1:4]) for each in found] == [
        ("text", "ne "),
        ("image", "PNG"),
    ]


async def test_a_server_that_ends_during_a_call_is_unreachable(client: ModuleType, strange: Strange) -> None:
    async with client.CafeClient.connect(strange.says()) as cafe:
        with pytest.raises(UnreachableError, match=r"exit code 3.*out of memory"):
            await cafe.order(items=[item("A")])
        with pytest.raises(UnreachableError):
            await cafe.order(items=[item("A")])


async def test_a_tool_that_is_gone_is_drift(client: ModuleType, strange: Strange) -> None:
    strange.tools.remove(strange.tool("buy"))
    with pytest.raises(ContractDriftError, match="- buy: the server no longer lists it") as raised:
        async with client.CafeClient.connect(strange.says()):
            pass
    assert list(raised.value.details) == ["buy"]


async def test_a_response_that_widened_is_drift(client: ModuleType, strange: Strange) -> None:
    strange.tool("slow")["outputSchema"]["properties"]["calls"] = {"type": ["integer", "null"]}
    with pytest.raises(ContractDriftError, match="- slow: response: 'type' of 'calls' widened"):
        async with client.CafeClient.connect(strange.says()):
            pass


async def test_drift_can_be_a_warning_or_ignored(client: ModuleType, strange: Strange) -> None:
    strange.tools.remove(strange.tool("buy"))
    command = strange.says()
    with pytest.warns(ContractDriftWarning, match="no longer lists it"):
        async with client.CafeClient.connect(command, on_drift="warn"):
            pass
    async with client.CafeClient.connect(command, on_drift="ignore"):
        pass


async def test_what_breaks_nobody_is_no_drift(client: ModuleType, strange: Strange) -> None:
    strange.tool("order")["description"] = "Order nice items."
    del strange.tool("order")["inputSchema"]["properties"]["note"]["maxLength"]
    more = [{"name": f"new_{number}", "inputSchema": {"type": "object"}} for number in range(5_000)]
    strange.tools += more
    async with client.CafeClient.connect(strange.says()):
        pass


async def test_a_server_of_the_older_era_is_no_drift(client: ModuleType, server: Any) -> None:
    async with Client(server, mode="legacy") as old:
        listed = [
            each.model_dump(by_alias=True, exclude_none=True) for each in (await old.list_tools()).tools
        ]
    cafe = client.CafeClient.__new__(client.CafeClient)
    tools = {name: (digest, method) for method, (name, digest, _) in cafe._tools.items()}
    check_drift(listed, tools, cafe._tool, None, is_error=True)
    listed[0]["inputSchema"]["required"] = ["what", "when"]
    with pytest.raises(ContractDriftError):
        check_drift(listed, tools, cafe._tool, None, is_error=True)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["no-such-program"], "there is no command 'no-such-program'"),
        ([sys.executable, "-c", "raise SystemExit('no license')"], "exit code 1.*no license"),
        ("http://127.0.0.1:9/mcp", "127.0.0.1:9"),
    ],
)
async def test_a_server_that_cannot_be_reached(client: ModuleType, command: Any, why: str) -> None:
    with pytest.raises(ConnectError, match=why):
        async with client.CafeClient.connect(command):
            pass


async def test_a_command_gets_its_folder_and_only_the_environment_that_is_given(
    client: ModuleType, strange: Strange, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_SECRET", "1")
    strange.says({"content": [], "structuredContent": {"calls": 1}})
    probe = (
        "import os, runpy, sys; assert 'APP_SECRET' not in os.environ; assert os.environ['GIVEN'] == 'x';"
        f"sys.argv = ['', 'said.json']; runpy.run_path({str(SERVER)!r})"
    )
    async with client.CafeClient.connect(
        [sys.executable, "-c", probe], cwd=tmp_path, env={"GIVEN": "x"}
    ) as cafe:
        assert (await cafe.slow(seconds=0)).calls == 1


async def test_a_request_that_the_server_refuses(client: ModuleType, strange: Strange) -> None:
    async with client.CafeClient.connect(strange.says("refuse")) as cafe:
        with pytest.raises(ProtocolError, match="refused the call of slow: 'closed on Sundays'") as raised:
            await cafe.slow(seconds=0)
    assert raised.value.details["code"] == -32000
