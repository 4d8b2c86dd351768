"""Images, audio, files, links and texts of a result: what an implementation may return, and what callers get."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from toolgen.runtime import (
    Audio,
    File,
    Image,
    Link,
    Text,
    Toolkit,
    ToolResult,
)

from tests.runtime.content_samples import PNG, SVG, WAV, answer, refused, returning
from tests.runtime.tool_factory import code_of, make_tool, run

IMAGES = [{"type": "image"}]
PNG_ONLY = [{"type": "image", "media_types": ["image/png"]}]
TOTAL = {"type": "object", "required": ["total"], "properties": {"total": {"type": "integer"}}}


def test_a_response_comes_with_blocks_or_alone() -> None:
    both = answer(ToolResult({"total": 7}, Image(PNG)), content=IMAGES, output_schema=TOTAL)
    alone = answer({"total": 7}, content=IMAGES, output_schema=TOTAL)
    assert (both.content, [block.type for block in both.blocks]) == ({"total": 7}, ["image"])
    assert (alone.content, alone.blocks) == ({"total": 7}, ())


def test_audience_and_priority_are_those_of_the_spec_unless_the_block_has_its_own() -> None:
    content = [{"type": "image", "audience": ["user"], "priority": 0.5}]
    first, second = answer(
        Image(PNG), Image(PNG, audience=("assistant",), priority=0), content=content
    ).blocks
    assert (first.audience, first.priority) == (("user",), 0.5)
    assert (second.audience, second.priority) == (("assistant",), 0)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (Audio(WAV), "content[0]: audio (audio/wav) is not declared"),
        (ToolResult(None, Image(PNG), Text("x")), "content[1]: text (text/plain) is not declared"),
    ],
)
def test_an_undeclared_block_breaks_the_contract(
    value: Any, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert fault in refused(caplog, returning(value, content=PNG_ONLY))


@pytest.mark.parametrize(
    ("content", "values", "fault"),
    [
        ([{"type": "image", "min": 1}], (), "expected at least 1 of image, got 0"),
        ([{"type": "image", "max": 1}], (Image(PNG), Image(PNG)), "content[1]: expected at most 1 of image"),
        ([{"type": "image", "max_bytes": 20}], (Image(PNG),), "bytes, max_bytes is 20"),
        ([{"type": "text", "max_bytes": 2}], (Text("abc"),), "text (text/plain) has 3 bytes, max_bytes is 2"),
    ],
)
def test_numbers_and_sizes_are_limited(
    content: Any, values: tuple[Any, ...], fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert fault in refused(caplog, returning(list(values), content=content))


@pytest.mark.parametrize(
    ("value", "media_type"),
    [
        (Image(PNG), "image/png"),
        (Image(SVG), "image/svg+xml"),
        (File(b"a,b\n1,2\n", name="sales.csv"), "text/csv"),
        (File(b"\x00\xff\x13"), "application/octet-stream"),
        (Audio(WAV, media_type="audio/x-wav"), "audio/wav"),
    ],
)
def test_the_media_type_is_found_from_the_bytes_and_the_name(value: Any, media_type: str) -> None:
    assert answer(value, content="any").blocks[0].media_type == media_type


@pytest.mark.parametrize(
    "value",
    [
        Image(b"plain text", media_type="image/png"),
        File(b"no PDF", name="order.pdf"),
    ],
)
def test_a_media_type_that_the_bytes_contradict_is_refused(
    value: Any, caplog: pytest.LogCaptureFixture
) -> None:
    assert "content[0]: the bytes are not" in refused(caplog, returning(value, content="any"))


def test_the_text_of_a_response_describes_blocks_and_never_encodes_them() -> None:
    link = Link("https://example.com/r/7", title="Report")
    response = answer(ToolResult({"total": 7}, Image(PNG, name="a.png"), link, Text("Up.")), content="any")
    assert response.as_text() == (
        '{"total":7}\n[image: image/png, a.png, 36 bytes]\n[link: Report] https://example.com/r/7\nUp.'
    )
    assert response.content_as_text() == '{"total":7}'
    assert answer(Image(PNG), content="any").content_as_text() == ""


def streaming(*items: Any, in_thread: bool = False, **definition: Any) -> Any:
    """Return a tool that yields items, in an async generator or in one that runs in a worker thread."""

    async def in_loop(self: Any, request: Any, context: Any) -> Any:
        for item in items:
            yield item

    def threaded(self: Any, request: Any, context: Any) -> Any:
        yield from items

    stream = {"chunk_schema": {"type": "object", "required": ["row"]}}
    return make_tool(threaded if in_thread else in_loop, stream=stream, **definition)


@pytest.mark.parametrize("in_thread", [False, True])
async def test_a_stream_has_chunks_of_mixed_kinds(in_thread: bool) -> None:
    async def collected(tool: Any) -> list[Any]:
        return [item async for item in Toolkit([tool]).stream("x", {})]

    items = ({"row": 1}, Image(PNG), {"row": 2}, Text("Done."))
    *chunks, response = await collected(streaming(*items, in_thread=in_thread, content="any"))
    assert [getattr(chunk, "type", chunk) for chunk in chunks] == [{"row": 1}, "image", {"row": 2}, "text"]
    assert response.content == [{"row": 1}, {"row": 2}]
    assert [block.data for block in response.blocks] == [PNG, b"Done."]
    last = {"total": 7}
    tool = streaming(*items, ToolResult(last), in_thread=in_thread, content="any", output_schema=TOTAL)
    assert (await collected(tool))[-1].content == last


@pytest.mark.parametrize(
    ("items", "content", "fault"),
    [
        ((Image(PNG),), [{"type": "text"}], "content[0]: image (image/png) is not declared"),
        ((Text("a"), Image(b"")), "any", "content[1] is empty"),
    ],
)
def test_blocks_of_a_stream_keep_the_contract(
    items: Any, content: Any, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        response = run(streaming(*items, content=content))
    assert (code_of(response), response.blocks) == ("invalid_response", ())
    assert fault in caplog.records[-1].getMessage()


def test_logs_have_type_size_and_hash_of_blocks_and_never_their_content(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.DEBUG):
        link = Link("https://secret.example/", name="secret")
        response = answer(Image(PNG, name="secret.png"), link, Text("secret"), content="any")
    record: Any = next(each for each in caplog.records if getattr(each, "event", "") == "finished")
    digest = response.blocks[0].sha256
    assert f"finished with image image/png 36 {digest}, link, text text/plain 6" in record.getMessage()
    assert record.blocks[0] == {"type": "image", "media_type": "image/png", "size": 36, "sha256": digest}
    assert "secret" not in "".join(str(vars(each)) for each in caplog.records)
