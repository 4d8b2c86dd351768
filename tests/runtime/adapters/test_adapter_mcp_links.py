"""Large blocks of results as links, and `resources/read` behind them."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from test_adapter_mcp import ERAS, talk
from toolgen.runtime import File, Image, Text, Toolkit
from toolgen.runtime.content.block import Block
from toolgen.runtime.settings import Settings
from toolgen.serving.auth.grant import NOTHING, Grant
from toolgen.serving.linked_blocks import LinkedBlocks

from tests.runtime.content_samples import PNG, returning

LARGE = PNG + bytes(1000)
NOBODY: frozenset[str] = frozenset()


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGEN_MAX_INLINE_BYTES", "500")


@ERAS
def test_a_large_block_is_a_link_that_the_client_reads(era: str) -> None:
    async def work(client: Client) -> Any:
        result = await client.call_tool("x", {})
        return result.content, [await client.read_resource(block.uri) for block in result.content[1:]]

    values = (Image(PNG), Image(LARGE, name="a b.png"), File(b"x" * 600), Text("long " * 200))
    content, read = talk(era, work, Toolkit([returning(*values, content="any")]))
    assert [block.type for block in content] == ["image", "resource_link", "resource_link", "resource_link"]
    assert (content[1].name, content[1].mime_type, content[1].size) == ("a b.png", "image/png", len(LARGE))
    assert b64decode(read[0].contents[0].blob) == LARGE
    assert read[1].contents[0].text == "x" * 600
    assert read[2].contents[0].text == "long " * 200
    assert [each.contents[0].uri for each in read] == [block.uri for block in content[1:]]


@ERAS
def test_a_link_that_nobody_was_given_is_refused(era: str) -> None:
    async def work(client: Client) -> int:
        with pytest.raises(MCPError) as caught:
            await client.read_resource("toolgen://results/guessed/a.png")
        assert (await client.list_resources()).resources == []
        assert (await client.list_resource_templates()).resource_templates == []
        return caught.value.error.code

    code = talk(era, work, Toolkit([returning(Image(PNG), content="any")]))
    assert code == (types.INVALID_PARAMS if era == "auto" else -32002)


def kept(**settings: Any) -> tuple[LinkedBlocks, list[float]]:
    """Return links and their clock."""
    now = [0.0]
    return LinkedBlocks(Settings(max_inline_bytes=10, **settings), lambda: now[0]), now


def block(size: int = 100) -> Block:
    return Block("file", bytes(size), media_type="application/pdf", name="a.pdf")


def test_a_link_expires() -> None:
    links, now = kept(link_expiry=60)
    uri = links.linked(block(), NOTHING, NOBODY).uri or ""
    now[0] = 59
    assert links.find(uri, NOTHING) is not None
    now[0] = 60
    assert links.find(uri, NOTHING) is None


def test_a_link_is_for_its_caller_and_needs_the_scopes_of_its_tool() -> None:
    links, _ = kept()
    ada = Grant("ada", frozenset({"orders:read", "more"}), is_configured=True)
    uri = links.linked(block(), ada, frozenset({"orders:read"})).uri or ""
    assert links.find(uri, ada) is not None
    for other in (NOTHING, Grant("bob", ada.scopes), Grant("ada", frozenset({"more"}))):
        assert links.find(uri, other) is None


def test_the_oldest_blocks_are_forgotten_beyond_the_limit() -> None:
    links, _ = kept(max_linked_bytes=250)
    uris = [links.linked(block(), NOTHING, NOBODY).uri or "" for _ in range(3)]
    assert [links.find(uri, NOTHING) is None for uri in uris] == [True, False, False]
    huge = block(300)
    assert links.linked(huge, NOTHING, NOBODY) is huge
