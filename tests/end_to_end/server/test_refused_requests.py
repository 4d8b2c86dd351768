"""Each request that the HTTP server refuses has a log record, and a flood of them does not fill the log."""

from __future__ import annotations

from typing import Any

from tests.end_to_end.auth.test_scopes import BOB, shop, tokens_of
from tests.end_to_end.calls.test_logs import records
from tests.end_to_end.project import HttpServer, Project, bearer
from tests.end_to_end.raw_http import connect

__all__ = ["shop"]

FORGED = "forged-token-4711"


def refusals(log: str) -> list[dict[str, Any]]:
    """Return the records of refused requests in a JSON log."""
    return [each for each in records(log) if each.get("event") == "refused"]


async def refuse(
    server: HttpServer, method: str = "POST", path: str = "/mcp", body: bytes = b"{}", **headers: str
) -> int:
    """Send a request; return the status of its answer."""
    async with connect(server.url.removesuffix("/mcp") + path) as connection:
        await connection.request(method, body, **headers)
        status, _ = await connection.head()
        return status


async def test_every_refusal_has_one_record_without_a_token(shop: Project) -> None:
    tokens = tokens_of(shop)
    flags = ("--auth-tokens", tokens, "--max-request-bytes", "2000")
    async with shop.server(*flags, TOOLGEN_LOG_FORMAT="json") as server:
        good = bearer(BOB)
        assert await refuse(server, path="/mcp?key=query-4711") == 401
        assert await refuse(server, authorization=f"Bearer {FORGED}") == 401
        assert await refuse(server, path="/other", **good) == 404
        assert await refuse(server, "PUT", **good) == 405
        assert await refuse(server, content_length="3000", **good) == 413
        assert await refuse(server, host="evil.example.com", **good) == 421
        assert await refuse(server, origin="http://evil.example.com", **good) == 403
        assert await refuse(server, mcp_session_id="0" * 32, **good) == 404
        assert await refuse(server, accept="text/plain", **good) == 406
        async with connect(server.url) as connection:
            connection.headers = good
            assert (await connection.call("echo", text="x")).status == 200
            assert (await connection.call("unknown")).status == 400  # which has the record of a call
    log = server.log
    assert [(each["status"], each["level"], each["reason"]) for each in refusals(log)] == [
        (401, "INFO", "there is no token"),
        (401, "WARNING", "the token is not valid"),
        (404, "INFO", "this path, session or method does not exist"),
        (405, "INFO", "the method is not supported"),
        (413, "WARNING", "the body is larger than --max-request-bytes"),
        (421, "WARNING", 'the Host header "evil.example.com" is not allowed: see --allowed-host'),
        (403, "WARNING", 'pages of "http://evil.example.com" are not allowed: see --allowed-origin'),
        (404, "INFO", "this path, session or method does not exist"),
        (406, "INFO", "the client does not accept the format of the answer"),
    ]
    first, forged, other, *_ = refusals(log)
    assert (first["method"], first["path"], first["client"]) == ("POST", '"/mcp"', "127.0.0.1")
    assert "principal" not in forged
    assert other["principal"] == "bob"
    assert first["message"] == 'POST "/mcp" refused with 401: there is no token (client 127.0.0.1)'
    for secret in (FORGED, BOB, "query-4711"):
        assert secret not in log


async def test_a_flood_of_refusals_is_limited(project: Project) -> None:
    project.generate()

    async with project.server(TOOLGEN_LOG_FORMAT="json") as server:
        async with connect(f"{server.url}/other") as connection:
            for _ in range(500):
                await connection.request("GET")
                assert (await connection.receive()).status == 404
        assert await refuse(server, "PUT") == 405
    written = refusals(server.log)
    assert sum(each["status"] == 404 for each in written) < 400
    assert any(each["message"].endswith("are left out)") for each in written)
    assert written[-1]["status"] == 405  # others are not left out
