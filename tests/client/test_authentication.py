"""Clients of a server that asks for tokens: a bearer token or an httpx2 auth object, in both protocol eras."""

from __future__ import annotations

import asyncio
import importlib
import traceback
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx2
import mcp
import pytest
from toolgen.client import ConnectError

from tests.end_to_end.project import ERAS, Project, token_of

from .test_calls import item

RIGHT, WRONG = token_of("ann"), token_of("eve")
AUTHENTICATIONS = pytest.mark.parametrize(
    "authentication", [pytest.param(str, id="token"), pytest.param(lambda token: Renewed(token), id="object")]
)


class Renewed(httpx2.Auth):
    """Gets its token only once a server refuses a request without one, and keeps it."""

    def __init__(self, token: str) -> None:
        self._new, self._held = token, ""

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        if not self._held:
            refused = yield request
            assert refused.status_code == 401
            self._held = self._new
        request.headers["Authorization"] = f"Bearer {self._held}"
        yield request


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    """The URL of a running server that knows one token."""
    project = Project(folder)
    tokens = project.write_tokens(ann=[])
    running = project.server("--auth-tokens", tokens, run=("-m", "cafe_server.mcp_server"))
    with asyncio.Runner() as runner:
        server = runner.run(running.__aenter__())
        yield server.url
        runner.run(running.__aexit__(None, None, None))


@pytest.fixture
def version(era: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let clients speak the newest protocol of an era; return its version."""
    monkeypatch.setattr(mcp, "Client", partial(mcp.Client, mode=era))
    return {"legacy": "2025-11-25", "auto": "2026-07-28"}[era]


@ERAS
@AUTHENTICATIONS
async def test_a_client_that_the_server_knows_is_answered(
    client: ModuleType, url: str, version: str, authentication: Callable[[str], Any]
) -> None:
    async with client.CafeClient.connect(url, auth=authentication(RIGHT)) as cafe:
        order = await cafe.order(items=[item("A")])
        lines = [each async for each in cafe.lines(count=1)]
        assert cafe.session.protocol_version == version
    assert isinstance(order, client.OrderResponse)
    assert order.items[0].sku == "A"
    assert lines == ["line 0", client.LinesResponse(sent=1)]


@AUTHENTICATIONS
def test_a_synchronous_client_that_the_server_knows_is_answered(
    client: ModuleType, url: str, authentication: Callable[[str], Any]
) -> None:
    sync = importlib.import_module("cafe.sync")
    with sync.CafeClient.connect(url, auth=authentication(RIGHT)) as cafe:
        order = cafe.order(items=[item("A")])
    assert isinstance(order, client.OrderResponse)


@ERAS
@AUTHENTICATIONS
async def test_a_wrong_token_is_an_error_that_does_not_show_it(
    client: ModuleType, url: str, version: str, authentication: Callable[[str], Any]
) -> None:
    with pytest.raises(ConnectError, match="401") as raised:
        async with client.CafeClient.connect(url, auth=authentication(WRONG)):
            pass
    assert str(raised.value).startswith(url)
    assert WRONG not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize("token", ["", f"{RIGHT}\n", f"{RIGHT}\N{LATIN SMALL LETTER E WITH ACUTE}"])
async def test_a_token_that_no_header_can_have_is_refused(client: ModuleType, url: str, token: str) -> None:
    with pytest.raises(ValueError, match="auth is not a token") as raised:
        async with client.CafeClient.connect(url, auth=token):
            pass
    assert RIGHT not in str(raised.value)


async def test_a_header_that_cannot_be_sent_is_an_error_that_does_not_show_it(
    client: ModuleType, url: str
) -> None:
    with pytest.raises(ConnectError, match="line end") as raised:
        async with client.CafeClient.connect(url, auth=Renewed(f"{RIGHT}\n")):
            pass
    assert RIGHT not in "".join(traceback.format_exception(raised.value))
