"""Scopes and bearer tokens: callers without them are refused."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client
from mcp.server.auth.provider import AccessToken
from toolgen.runtime.settings import SettingError
from toolgen.serving.auth.grant import principal_of
from toolgen.serving.auth.token_file import TokenFile

from tests.end_to_end.project import (
    ECHO_SPEC,
    ECHO_TOOL,
    ERAS,
    SECONDS,
    HttpServer,
    Project,
    bearer,
    error_code,
    text_of,
)
from tests.end_to_end.raw_http import connect

ADA, BOB, CY = "ada-token-0123456789.~+/-_", "bob-token-0123456789abcdef", "cy-token-0123456789abcdef=="
WHO = "async def execute(self, request, context): return str(context.principal)"
WIPE = "async def execute(self, request, context): return f'wiped {request.disk}'"
WIPE_MORE = """
confirm: {message: "Wipe {disk}?", on_unsupported: two_step}
auth: {scopes: ["disks:write", "orders:read"]}
"""


@pytest.fixture
def shop(project: Project) -> Project:
    project.add_tool("echo", ECHO_SPEC, ECHO_TOOL)
    project.add_plain_tool("who", WHO, more='auth: {scopes: ["orders:read"]}')
    project.add_plain_tool("wipe", WIPE, more=WIPE_MORE, properties="disk: {type: string}")
    project.generate()
    return project


def tokens_of(project: Project, extra: str = "", mode: int = 0o600) -> str:
    """Write a file of tokens: Ada has all scopes, Bob can read, Cy has none."""
    digest = hashlib.sha256(ADA.encode()).hexdigest()
    file = project.write(
        "tokens.toml",
        f"""
        [[tokens]]
        principal = "ada"
        sha256 = "{digest}"
        scopes = ["orders:read", "disks:write"]
        [[tokens]]
        principal = "bob"
        token = "{BOB}"
        scopes = ["orders:read"]
        expires = 2099-01-01T00:00:00Z
        [[tokens]]
        principal = "cy"
        token = "{CY}"
        {extra}
        """,
    )
    file.chmod(mode)
    return str(file)


async def names(client: Client) -> list[str]:
    return sorted(tool.name for tool in (await client.list_tools()).tools)


@ERAS
async def test_without_authentication_tools_with_scopes_are_refused(shop: Project, era: str) -> None:
    async with (
        shop.server("--scopes", "orders:read,disks:write") as server,
        server.client(era) as client,
    ):
        assert await names(client) == ["echo", "who", "wipe"]
        assert text_of(await client.call_tool("echo", {"text": "a"}))
        for name, arguments in (("who", {}), ("wipe", {"disk": "a"})):
            assert error_code(await client.call_tool(name, arguments)) == "insufficient_scope"
    log = server.log
    (line,) = (line for line in log.splitlines() if "who (orders:read)" in line)
    assert "wipe (disks:write, orders:read)" in line
    assert "--scopes grants nothing over HTTP" in log


@ERAS
@pytest.mark.parametrize(
    ("flags", "seen", "code"),
    [
        ((), ["echo", "who", "wipe"], "insufficient_scope"),
        (("--scopes", "orders:read"), ["echo", "who"], None),
    ],
)
async def test_the_user_who_starts_a_stdio_server_grants_scopes(
    shop: Project, era: str, flags: tuple[str, ...], seen: list[str], code: str | None
) -> None:
    async with shop.stdio_client(era, *flags) as client:
        assert await names(client) == seen
        assert error_code(await client.call_tool("who", {})) == code
        assert error_code(await client.call_tool("wipe", {"disk": "a"})) == "insufficient_scope"


@ERAS
async def test_a_token_decides_principal_and_scopes(shop: Project, era: str) -> None:
    async with shop.server("--auth-tokens", tokens_of(shop), "--log-format", "json") as server:
        for token, seen in (
            (ADA, ["echo", "who", "wipe"]),
            (BOB, ["echo", "who"]),
            (CY, ["echo"]),
            (ADA, ["echo", "who", "wipe"]),
        ):
            async with server.client(era, token) as client:
                listed = await client.list_tools()
                assert sorted(tool.name for tool in listed.tools) == seen
                if era == "auto":
                    assert listed.cache_scope == "private"
                result = await client.call_tool("who", {})
                if "who" in seen:
                    assert text_of(result) == ("ada" if token == ADA else "bob")
                else:
                    assert error_code(result) == "insufficient_scope"
    log = server.log
    records = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    reported = [each["principal"] for each in records if each.get("tool_name") == "who"]
    assert {"ada", "bob", "cy"} <= set(reported)
    assert not any(token in log for token in (ADA, BOB, CY))


LISTING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()


@asynccontextmanager
async def guarded(shop: Project) -> AsyncIterator[HttpServer]:
    """Run a server that requires tokens."""
    async with asyncio.timeout(SECONDS * 2), shop.server("--auth-tokens", tokens_of(shop)) as server:
        yield server


async def raw(url: str, method: str, path: str, *headers: str, body: bytes = LISTING) -> tuple[int, bytes]:
    """Send header lines verbatim; return the status and the whole response."""
    host, port = url.removeprefix("http://").removesuffix("/mcp").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}:{port}", "Connection: close", *headers]
    lines += ["Content-Type: application/json", "Accept: application/json, text/event-stream"]
    lines.append(f"Content-Length: {len(body)}")
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
    answer = await reader.read(200_000)
    writer.close()
    return int(answer.split()[1]), answer


async def test_invalid_bearer_tokens_are_refused(shop: Project) -> None:
    attempts: dict[str, tuple[list[str], str]] = {
        "none": ([], "/mcp"),
        "unknown": (["Authorization: Bearer " + "x" * 30], "/mcp"),
        "longer": ([f"Authorization: Bearer {BOB}x"], "/mcp"),
        "basic": ([f"Authorization: Basic {BOB}"], "/mcp"),
        "in the query": ([], f"/mcp?access_token={BOB}"),
        "latin": (["Authorization: Bearer \xe9\xff" + "x" * 30], "/mcp"),
        "the hash": ([f"Authorization: Bearer {hashlib.sha256(BOB.encode()).hexdigest()}"], "/mcp"),
        "two in one": ([f"Authorization: Bearer {BOB}, Bearer {ADA}"], "/mcp"),
    }

    async with guarded(shop) as server:
        for label, (headers, path) in attempts.items():
            status, answer = await raw(server.url, "POST", path, *headers)
            assert status == 401, label
            assert b"www-authenticate: bearer" in answer.lower(), label
            assert b"tools" not in answer, label
        twice = [f"Authorization: Bearer {'x' * 30}", f"Authorization: Bearer {BOB}"]
        assert (await raw(server.url, "POST", "/mcp", *twice))[0] == 401  # the first one counts
        assert (await raw(server.url, "POST", "/mcp", *reversed(twice)))[0] == 400
        assert (await raw(server.url, "POST", "/mcp", f"authorization: bearer {BOB}"))[0] != 401


async def test_every_path_and_method_requires_the_token(shop: Project) -> None:
    paths = ("/mcp", "/mcp/", "//mcp", "/%6dcp", "/./mcp", "/mcp;x", "/MCP", "/", "/x/../mcp", "http://a/mcp")
    paths += ("/.well-known/oauth-protected-resource", "/.well-known/../mcp")

    async with guarded(shop) as server:
        for method in ("POST", "GET", "DELETE", "OPTIONS", "HEAD", "PUT", "PATCH"):
            for path in paths:
                assert (await raw(server.url, method, path))[0] == 401, (method, path)


async def test_a_request_without_a_token_is_refused_before_its_body_arrives(shop: Project) -> None:
    async with guarded(shop) as server:
        host, port = server.url.removeprefix("http://").removesuffix("/mcp").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(f"POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000000\r\n\r\n".encode())
        async with asyncio.timeout(5):
            assert b" 401 " in await reader.readuntil(b"\r\n")
        writer.close()


async def test_a_session_belongs_to_its_principal(shop: Project) -> None:
    async with guarded(shop) as server, connect(server.url) as mine, connect(server.url) as other:
        ada, bob = bearer(ADA), bearer(BOB)
        mine.headers = dict(ada)
        await mine.initialize()
        session = {key: value for key, value in mine.headers.items() if key not in ada}
        other.headers = bob | session
        for _ in range(2):
            assert (await other.ask("tools/list")).status == 404
        for method in ("GET", "DELETE"):
            await other.request(method)
            assert (await other.receive()).status == 404
        other.headers = session
        assert (await other.ask("tools/list")).status == 401
        assert len((await mine.ask("tools/list")).message["result"]["tools"]) == 3


async def test_the_confirmation_of_another_principal_is_refused(shop: Project) -> None:
    async with guarded(shop) as server, connect(server.url) as ada, connect(server.url) as bob:
        ada.headers, bob.headers = bearer(ADA), bearer(CY)
        asked = (await ada.call("wipe", disk="a")).message["result"]
        token = asked["_meta"]["toolgen/confirmation"]["token"]
        params = {
            "name": "wipe",
            "arguments": {"disk": "a"},
            "_meta": {"toolgen/confirmation_token": token},
        }
        stolen = (await bob.ask("tools/call", params)).message["result"]
        assert stolen["isError"]
        used = (await ada.ask("tools/call", params)).message["result"]
        assert used["content"][0]["text"] == "wiped a"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "127.1", "example.com"])
def test_another_address_than_loopback_needs_authentication(shop: Project, host: str) -> None:
    done = shop.python("-m", "generated.mcp_server", "--http", "--port", "0", f"--host={host}")
    assert done.returncode == 2, done.stderr
    assert "--auth-tokens" in done.stderr
    assert "--insecure-no-auth" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("how", ["tokens", "insecure"])
async def test_another_address_is_served_with_tokens_or_insecure_no_auth(shop: Project, how: str) -> None:
    flags = ("--auth-tokens", tokens_of(shop)) if how == "tokens" else ("--insecure-no-auth",)

    async with shop.server("--host", "0.0.0.0", *flags) as server:  # noqa: SIM117
        async with connect(server.url.replace("0.0.0.0", "127.0.0.1")) as connection:
            assert (await connection.ask("tools/list")).status == (401 if how == "tokens" else 200)
            connection.headers = bearer(BOB)
            assert (await connection.ask("tools/list")).status == 200
    assert ("warning:" in server.log) == (how == "insecure")


SECRET = "do-not-show-this-token-1234567890"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tokens = [", "not TOML"),
        (f'[[tokens]]\nprincipal = "a"\nsha256 = "{SECRET}"', "sha256: String should match pattern"),
        ('[[tokens]]\nprincipal = "a"\ntoken = "short"', "20 characters"),
        (f'[[tokens]]\nprincipal = "a"\ntoken = "{SECRET}"\nexpires = 2030-01-01T00:00:00', "timezone"),
        (f'[[tokens]]\nprincipal = "a"\ntoken = "{SECRET}"\n' * 2, "twice"),
    ],
)
def test_an_invalid_token_file_is_reported_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(SettingError) as caught:
        TokenFile.read(str(file))
    message = str(caught.value)
    assert said in message
    assert "\n" not in message
    assert SECRET not in message


def test_an_expensive_token_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "tokens.toml"
    with file.open("wb") as opened:
        opened.truncate(8 * 1024**3)
    with pytest.raises(SettingError, match="not a file of at most 1048576 bytes"):
        TokenFile.read(str(file))


@pytest.mark.parametrize("mode", [0o644, 0o660, 0o622])
def test_a_token_file_that_others_can_use_is_refused(project: Project, mode: int) -> None:
    with pytest.raises(SettingError, match="chmod"):
        TokenFile.read(tokens_of(project, mode=mode))


def test_a_token_file_that_others_can_replace_is_refused(project: Project, tmp_path: Path) -> None:
    file = Path(tokens_of(project))
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    copy = shared / "tokens.toml"
    copy.write_bytes(file.read_bytes())
    copy.chmod(0o600)
    with pytest.raises(SettingError, match=f"everybody may write to {shared}"):
        TokenFile.read(str(copy))
    copy.unlink()
    copy.symlink_to(file)  # as Kubernetes mounts secrets
    TokenFile.read(str(copy))


def test_a_token_file_of_another_user_is_refused(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tokens_of(project)
    if os.geteuid() == 0:
        os.chown(file, 12345, 12345)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(SettingError, match="belongs to another user"):
        TokenFile.read(file)


@pytest.mark.parametrize(
    ("client", "subject", "principal"),
    [("ada", None, "client_id:ada"), ("app", "client_id:ada", "sub:client_id:ada")],
)
def test_a_client_is_not_the_principal_of_a_subject(client: str, subject: str | None, principal: str) -> None:
    access = AccessToken(token="t", client_id=client, subject=subject, scopes=[])
    assert principal_of(access) == principal


async def test_an_expired_bearer_token_is_refused(shop: Project) -> None:
    file = tokens_of(shop, "expires = 2020-01-01T00:00:00Z")

    async with shop.server("--auth-tokens", file) as server, connect(server.url) as connection:
        connection.headers = bearer(CY)
        assert (await connection.ask("tools/list")).status == 401
