"""An ASGI application, which does not know its address, refuses other machines without authentication."""

from __future__ import annotations

import socket

import pytest

from tests.end_to_end.project import Project, bearer
from tests.end_to_end.raw_http import connect
from tests.end_to_end.replicas import free_port
from tests.end_to_end.server.test_asgi import MOUNTED, process

from .test_scopes import BOB, shop, tokens_of

__all__ = ["shop"]


def own_address() -> str:
    """Return an address of this machine that is not loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent
        except OSError:
            pytest.skip("this machine has only loopback")
        found: str = probe.getsockname()[0]
        return found


@pytest.mark.parametrize(
    ("env", "status"), [({}, 403), ({"TOOLGEN_INSECURE_NO_AUTH": "1"}, 200), ({"auth": "tokens"}, 401)]
)
async def test_other_addresses_than_loopback_need_authentication_or_insecure_no_auth(
    shop: Project, env: dict[str, str], status: int
) -> None:
    port, address = free_port(), own_address()
    if env.pop("auth", None):
        env = {"TOOLGEN_AUTH_TOKENS": tokens_of(shop)}
    command = ("-m", "uvicorn", "generated.mcp_server:app", "--host", "0.0.0.0", "--port", str(port))

    async with process(shop, port, *command, TOOLGEN_ALLOWED_HOSTS=address, **env):
        async with connect(f"http://{address}:{port}/mcp") as connection:
            answer = await connection.ask("tools/list")
            assert answer.status == status
            if status == 403:
                assert b"TOOLGEN_INSECURE_NO_AUTH" in answer.body
        async with connect(f"http://127.0.0.1:{port}/mcp") as connection:
            assert (await connection.ask("tools/list")).status == (401 if status == 401 else 200)
            connection.headers = bearer(BOB)
            assert (await connection.ask("tools/list")).status == 200
    log = (shop.root / "server.log").read_text()
    assert ("who (orders:read)" in log) == (status != 401)


async def test_a_mounted_server_requires_tokens_and_the_rest_of_the_application_does_not(
    shop: Project,
) -> None:
    port = free_port()
    shop.write("mounted.py", MOUNTED)
    command = ("-m", "uvicorn", "mounted:app", "--port", str(port))

    async with process(shop, port, *command, TOOLGEN_AUTH_TOKENS=tokens_of(shop)):
        for path, headers, status in (
            ("/tools/mcp", {}, 401),
            ("/tools//mcp", {}, 401),
            ("/tools/mcp/", {}, 401),
            ("/tools/%6dcp", {}, 401),
            ("/tools/other", {}, 401),
            ("/tools/other", bearer(BOB), 404),
            ("/health", {}, 405),
        ):
            async with connect(f"http://127.0.0.1:{port}{path}") as connection:
                connection.headers = headers
                await connection.request("POST", b"{}")
                assert (await connection.receive()).status == status, path
        async with connect(f"http://127.0.0.1:{port}/tools/mcp") as connection:
            connection.headers = bearer(BOB)
            listed = (await connection.ask("tools/list")).message["result"]
            assert [tool["name"] for tool in listed["tools"]] == ["echo", "who"]
