"""Blocks of results as content of MCP."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

import pytest
from test_adapter_mcp import ERAS, call
from toolgen.runtime import Audio, File, Image, Link, Text, Toolkit, ToolResult
from toolgen.serving.result import result_of

from tests.runtime.content_samples import PDF, PNG, WAV, answer, returning


def content_of(*values: Any, version: str = "2025-11-25") -> list[Any]:
    return list(result_of(answer(list(values), content="any"), "none", version).content)


@ERAS
def test_every_kind_of_block_passes_the_client(era: str) -> None:
    values = (
        Image(PNG),
        Audio(WAV),
        File(PDF),
        File(b"a,b\n", name="a.csv"),
        Link("https://example.com/a"),
        Text("x"),
    )
    made = returning(ToolResult({"total": 7}, *values), content="any", output_schema={"type": "object"})
    result = call(era, "x", {}, Toolkit([made]))
    first, *content = result.content
    assert (result.structured_content, first.text) == ({"total": 7}, '{"total":7}')
    image, audio, blob, text_file, link, text = content
    assert [block.type for block in content] == [
        "image",
        "audio",
        "resource",
        "resource",
        "resource_link",
        "text",
    ]
    assert (b64decode(image.data), b64decode(audio.data), b64decode(blob.resource.blob)) == (PNG, WAV, PDF)
    assert (text_file.resource.text, text_file.resource.mime_type) == ("a,b\n", "text/csv")
    assert (link.name, str(link.uri), text.text) == ("a", "https://example.com/a", "x")


def test_a_file_has_its_own_address_or_one_of_its_hash() -> None:
    own, made, named = content_of(
        File(PDF, uri="shop://orders/7.pdf"), File(PDF), File(PDF, name="order 7.pdf")
    )
    assert own.resource.uri == "shop://orders/7.pdf"
    assert made.resource.uri.startswith("urn:sha256:f5117edb")
    assert named.resource.uri == f"{made.resource.uri}#order%207.pdf"


@pytest.mark.parametrize(
    ("version", "kinds"),
    [
        ("2024-11-05", ["image", "resource", "text"]),
        ("2025-03-26", ["image", "audio", "text"]),
        ("2025-06-18", ["image", "audio", "resource_link"]),
    ],
)
def test_an_older_client_gets_only_content_of_its_version(version: str, kinds: list[str]) -> None:
    blocks = content_of(Image(PNG), Audio(WAV), Link("https://example.com/a"), version=version)
    assert [block.type for block in blocks] == kinds
