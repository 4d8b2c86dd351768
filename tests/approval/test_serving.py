"""Servers whose calls people approve, over both transports, to real clients."""

from __future__ import annotations

import asyncio
import errno
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import pytest
from toolgen.runtime.approval.approvals import Approvals
from toolgen.runtime.settings import SettingError, Settings
from toolgen.serving.approval import listener
from toolgen.serving.approval.pages import ApprovalPages
from toolgen.serving.transports.http import ALL_ARE_ONE
from toolgen.testing.test_key import TestKey

from tests.end_to_end.project import ERAS, TRANSPORTS, Project, error_code, text_of
from tests.end_to_end.replicas import free_port, replicas
from tests.end_to_end.server.test_asgi import MOUNTED, process

TOOL = """
async def execute(self, request, context):
    with open("acts.jsonl", "a") as file:
        file.write(f"{request.order} by {context.approval.approvers}\\n")
    return "done"
"""
RULE = "concurrency: 1\nconfirm: {message: 'Refund {order}?', proof: person}"


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    """A project with one tool that people approve."""
    made = Project.create(tmp_path)
    made.add_plain_tool("refund", TOOL, more=RULE, properties="order: {type: integer}")
    made.generate()
    write_approvers(made, ann=KEY)
    return made


KEY = TestKey.make()


def write_approvers(shop: Project, **keys: TestKey) -> None:
    entries = [key.entry(name) for name, key in keys.items()]
    shop.write("approvers.toml", "\n".join(entries)).chmod(0o600)


def acts(shop: Project) -> list[str]:
    file = shop.root / "acts.jsonl"
    return file.read_text().splitlines() if file.exists() else []


async def sign(page: str) -> int:
    """Approve a call at the address of its page."""
    origin = page[: page.index("/", 8)]
    async with httpx2.AsyncClient() as http:
        request = (await http.get(f"{page}/request")).json()
        body = {"credential": KEY.sign(request["digest"], origin)}
        return (await http.post(page, json=body, headers={"origin": origin})).status_code


def page_of(result: Any) -> str:
    """Return the address in a refusal."""
    assert error_code(result) == "confirmation_required"
    address: str = result.meta["toolgen/approval"]["url"]
    assert address in text_of(result)
    return address


class User:
    """A user whose client opens pages."""

    def __init__(self, action: Any = "accept", signs: bool = True) -> None:
        self.asked: list[types.ElicitRequestURLParams] = []
        self.completed: list[str] = []
        self.action, self.signs = action, signs
        self.signing: list[Any] = []

    async def open(self, context: Any, params: Any) -> types.ElicitResult:
        self.asked.append(params)
        if self.signs:
            asyncio.get_running_loop().call_later(0.3, lambda: self.sign(params.url))
        return types.ElicitResult(action=self.action)

    def sign(self, url: str) -> None:
        self.signing.append(asyncio.ensure_future(sign(url)))

    async def hear(self, message: Any) -> None:
        if isinstance(message, types.ElicitCompleteNotification):
            self.completed.append(message.params.elicitation_id)

    @property
    def options(self) -> dict[str, Any]:
        return {"elicitation_callback": self.open, "message_handler": self.hear}


@ERAS
@TRANSPORTS
async def test_a_client_opens_the_page_and_the_call_waits(shop: Project, transport: str, era: str) -> None:
    user = User()
    async with shop.client(transport, era, **user.options) as client:
        result = await client.call_tool("refund", {"order": 7})
        assert (error_code(result), "toolgen/approval" in (result.meta or {})) == (None, False)
        [asked] = user.asked
        assert (asked.mode, asked.message) == ("url", "Refund 7?")
        assert acts(shop) == ["7 by ('ann',)"]
        if era == "legacy":
            async with asyncio.timeout(10):
                while not user.completed:
                    await asyncio.sleep(0.05)
            assert user.completed == [asked.elicitation_id]
            assert asked.url.endswith(f"/approvals/{asked.elicitation_id}")


@ERAS
@pytest.mark.parametrize(("action", "code"), [("decline", "declined"), ("cancel", "cancelled")])
async def test_a_client_does_not_open_the_page(shop: Project, era: str, action: str, code: str) -> None:
    async with shop.client("stdio", era, **User(action, signs=False).options) as client:
        assert error_code(await client.call_tool("refund", {"order": 7})) == code
    assert not acts(shop)


@ERAS
async def test_a_call_that_waits_takes_no_place(shop: Project, era: str) -> None:
    user = User(signs=False)
    async with shop.client("http", era, **user.options) as client:
        calls = [asyncio.ensure_future(client.call_tool("refund", {"order": n})) for n in range(3)]
        while len(user.asked) < 3:
            await asyncio.sleep(0.05)
        assert await sign(next(each.url for each in user.asked if each.message == "Refund 2?")) == 200
        assert not (await calls[2]).is_error
        assert acts(shop) == ["2 by ('ann',)"]
        for each in calls[:2]:
            each.cancel()


@TRANSPORTS
async def test_without_pages_the_call_is_repeated(shop: Project, transport: str) -> None:
    async with shop.client(transport, "auto") as client:

        async def call() -> Any:
            return await client.call_tool("refund", {"order": 7})

        page = page_of(await call())
        assert page_of(await call()) == page
        assert await sign(page) == 200
        assert not (await call()).is_error
        async with httpx2.AsyncClient() as http:
            again = page_of(await call())  # as after an answer that was lost
            assert (await http.get(f"{again}/request")).json()["done_before"] is not None
            assert (await http.get(f"{page}/request")).status_code == 410
    assert len(acts(shop)) == 1


async def test_a_script_ends_with_the_address_and_is_run_again(shop: Project) -> None:
    async with shop.client("stdio", "auto", "--code-mode") as client:

        async def run() -> str:
            return text_of(await client.call_tool("run_code", {"code": "refund(order=7)"}))

        found = re.search(r"approve this call at (\S+) first", await run())
        assert found is not None
        assert await sign(found[1]) == 200
        assert "done" in await run()
        assert "approve this call at" in await run(), "once"
    assert acts(shop) == ["7 by ('ann',)"]


async def test_replicas_share_approvals(shop: Project) -> None:
    port = free_port()
    env: Any = {"TOOLGEN_CONFIRMATION_STORE": f"sqlite:///{shop.root}/store.db"}
    url = f"http://localhost:{port}"
    async with (
        shop.server("--stateless", "--port", str(port), **env) as one,
        replicas(shop, 1, TOOLGEN_APPROVAL_URL=url, **env) as [two],
        one.client("auto") as first,
        two.client("auto") as second,
    ):
        page = page_of(await second.call_tool("refund", {"order": 7}))
        assert page.startswith(f"{url}/approvals/")
        assert await sign(page) == 200
        results = await asyncio.gather(*(each.call_tool("refund", {"order": 7}) for each in (first, second)))
        assert sorted(each.is_error for each in results) == [False, True]


async def test_a_mounted_application_has_pages_beside_mcp(shop: Project) -> None:
    port = free_port()
    shop.write("mounted.py", MOUNTED)
    command, url = ("-m", "uvicorn", "mounted:app", "--port", str(port)), f"http://localhost:{port}/tools"
    env = {"TOOLGEN_APPROVAL_URL": url, "TOOLGEN_AUTH_TOKENS": shop.write_tokens(ann=[])}
    async with process(shop, port, *command, **env), httpx2.AsyncClient() as http:
        assert (await http.get(f"{url}/mcp")).status_code == 401
        page = await http.get(f"{url}/approvals/x")
        assert (page.status_code, page.headers["x-frame-options"]) == (200, "DENY")
        assert (await http.get(f"{url}/approvals/x/request")).status_code == 404
        log = (shop.root / "server.log").read_text()
        assert "approvers: approvers.toml, SHA-256 " in log
        assert ALL_ARE_ONE not in log


@pytest.mark.parametrize("transport", ["stdio", "http", "everywhere"])
def test_a_server_does_not_start_beside_another_at_its_address(shop: Project, transport: str) -> None:
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as taken:
        port = str(taken.getsockname()[1])
        url = ("--approval-url", f"http://localhost:{port}")
        http = ("--http", "--port", port)
        everywhere = (*http, *url, "--host", "0.0.0.0", "--insecure-no-auth")
        flags = {"stdio": url, "http": http, "everywhere": everywhere}
        done = shop.python("-m", "generated.mcp_server", *flags[transport])
    assert done.returncode == 2
    assert "127.0.0.1 and ::1" in done.stderr
    shop.write("approvers.toml", "[[approver]]")
    done = shop.python("-m", "generated.mcp_server", *flags[transport])
    assert (done.returncode, "--approvers: " in done.stderr) == (2, True), done.stderr


def test_a_server_without_an_address_of_pages_does_not_start(shop: Project) -> None:
    flags = ("--http", "--port", "0", "--host", "0.0.0.0", "--insecure-no-auth")
    done = shop.python("-m", "generated.mcp_server", *flags)
    assert (done.returncode, "--approval-url must say where" in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize(
    ("url", "port"), [(None, 0), ("http://localhost", 80), ("http://localhost:7000", 7000)]
)
async def test_pages_are_served_at_the_port_of_their_address(
    monkeypatch: pytest.MonkeyPatch, url: str | None, port: int
) -> None:
    asked: list[int] = []

    def refuse(host: str, port: int) -> None:
        asked.append(port)
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(listener, "listen_for_pages", refuse)
    with pytest.raises(SettingError, match="Permission denied; choose another"):
        async with listener.serving_pages(Approvals(Settings(approval_url=url))):
            pass
    assert asked == [port]


async def test_a_browser_may_leave_before_it_has_sent_a_signature() -> None:
    origin = "http://localhost:7000"
    headers = [("host", "localhost:7000"), ("origin", origin), ("content-type", "application/json")]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/approvals/x",
        "headers": [(name.encode(), value.encode()) for name, value in headers],
    }
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    await ApprovalPages(Approvals(Settings(approval_url=origin)))(scope, receive, send)
    assert sent[0]["status"] == 400


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there is no SIGHUP")
def test_a_server_over_stdio_reads_approvers_again_after_sighup(shop: Project) -> None:
    log = shop.root / "server.log"
    with (
        log.open("w") as err,
        subprocess.Popen(
            [sys.executable, "-m", "generated.mcp_server"],
            cwd=shop.root,
            env=shop.environment({}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=err,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        ) as server,
    ):
        assert server.stdin is not None
        assert server.stdout is not None

        def ping() -> bytes:
            server.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
            server.stdin.flush()
            answer: bytes = server.stdout.readline()
            return answer

        assert ping()
        write_approvers(shop, bob=TestKey.make())
        server.send_signal(signal.SIGHUP)
        assert ping(), "it goes on"
        server.stdin.close()
        assert server.wait(30) == 0
    assert log.read_text().count("approvers: approvers.toml, SHA-256 ") == 2


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there is no SIGHUP")
async def test_a_removed_key_approves_nothing_after_sighup(shop: Project) -> None:
    async with shop.server(preloaded=False) as server, server.client("auto") as client:
        signed = page_of(await client.call_tool("refund", {"order": 1}))
        pending = page_of(await client.call_tool("refund", {"order": 2}))
        assert await sign(signed) == 200
        write_approvers(shop, bob=TestKey.make())
        server.process.send_signal(signal.SIGHUP)
        while "were reloaded" not in server.log:
            await asyncio.sleep(0.05)
        assert await sign(pending) == 403
        assert error_code(await client.call_tool("refund", {"order": 1})) == "changed_since_confirmed"
        assert ALL_ARE_ONE in server.log
    assert not acts(shop)
