"""Sources of blocks: what is read, what is refused, and that nothing is sent by halves."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from toolgen.runtime import File, Image, Link, Text
from toolgen.runtime.execution.block_reader import link_fault

from tests.processes import processor_limit
from tests.runtime.content_samples import PNG, answer, refused, returning, returning_in_thread
from tests.runtime.tool_factory import code_of, run
from tests.samples import load_beside

TOOLS = pytest.mark.parametrize("tool", [returning, returning_in_thread])


class Chunks:
    """An async iterable that records how much was read, and that it was closed."""

    def __init__(self, *chunks: Any) -> None:
        self.chunks, self.given, self.closed = chunks, 0, False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            for chunk in self.chunks:
                self.given += 1
                yield chunk
        finally:
            self.closed = True


class Growing(io.RawIOBase):
    """A file without an end; counts the bytes that were read."""

    given = 0

    def read(self, size: int = -1, /) -> bytes:
        self.given += size
        return bytes(size)


@TOOLS
def test_every_source_is_read_to_its_end(tool: Any, tmp_path: Path) -> None:
    path = tmp_path / "chart.png"
    path.write_bytes(PNG)
    sources = (PNG, bytearray(PNG), memoryview(PNG), path, io.BytesIO(PNG), Chunks(PNG[:9], PNG[9:]))
    response = run(tool(*map(Image, sources), content="any"))
    assert [block.data for block in response.blocks] == [PNG] * len(sources)
    assert [block.name for block in response.blocks] == [None, None, None, "chart.png", None, None]


@TOOLS
def test_no_more_is_read_than_a_result_may_have(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGEN_MAX_RESULT_BYTES", "1000")
    endless, chunks = Growing(), Chunks(*[bytes(600)] * 100)
    for source in (endless, chunks):
        assert code_of(run(tool(File(source), content="any"))) == "too_large"
    assert endless.given < 1_000_000
    assert (chunks.given, chunks.closed) == (2, True)


def test_a_result_of_all_blocks_is_limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOOLGEN_MAX_RESULT_BYTES", "100")
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(1_000_000_000)
    for values in ((File(bytes(60)), File(bytes(60))), (File(huge),), (Text("x" * 101),), (File(Growing()),)):
        response = answer(*values, content="any")
        assert (code_of(response), response.blocks) == ("too_large", ())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes of POSIX")
def test_only_regular_files_are_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/zero"), tmp_path / "pipe", tmp_path):
        reason = refused(caplog, returning(File(path), content="any"))
        assert "it is not a regular file" in reason
        assert str(path) not in reason


def test_a_path_does_not_leave_its_root(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    root = tmp_path / "charts"
    (root / "2026").mkdir(parents=True)
    (root / "2026" / "a.png").write_bytes(PNG)
    (tmp_path / "secret.png").write_bytes(PNG)
    (root / "link.png").symlink_to(tmp_path / "secret.png")
    (root / "inner.png").symlink_to(root / "2026" / "a.png")
    for inside in ("2026/a.png", "inner.png", str(root / "2026" / "a.png")):
        assert answer(Image(Path(inside), root=root), content="any").success, inside
    for outside in ("../secret.png", "link.png", str(tmp_path / "secret.png"), "2026/../../secret.png"):
        reason = refused(caplog, returning(Image(Path(outside), root=root), content="any"))
        assert "it is outside of its root" in reason, outside
    assert "it is not a regular file" in refused(caplog, returning(File(Path("."), root=root), content="any"))


def test_reading_ends_with_the_time_limit() -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            await asyncio.sleep(0.01)
            yield b"x"

    assert code_of(answer(File(endless()), content="any", timeout=0.1)) == "timeout"


@pytest.mark.parametrize(("uri", "fault"), load_beside(__file__, "refused_links.yaml").items())
def test_a_link_that_callers_must_not_follow_is_refused(
    uri: str, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert f"content[0]: the link {fault}" in refused(caplog, returning(Link(uri), content="any"))


@pytest.mark.parametrize(
    "uri",
    [
        "https://example.com/a?b=c#d",
        "https://1.1.1.1/",
        "https://müller.example/",
    ],
)
def test_other_links_are_passed_on(uri: str) -> None:
    assert answer(Link(uri), content="any").blocks[0].uri == uri


def test_a_private_link_is_allowed_where_the_implementation_says_so() -> None:
    assert answer(Link("http://wiki.internal/x", private=True), content="any").success


def test_an_svg_is_sent_only_where_the_spec_names_it_or_takes_any(caplog: pytest.LogCaptureFixture) -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"/>'
    for content in ([{"type": "image"}], [{"type": "image", "media_types": ["image/*"]}]):
        assert "is an SVG, which can hold scripts" in refused(caplog, returning(Image(svg), content=content))
    declared = [{"type": "image", "media_types": ["image/svg+xml"]}]
    for allowed in ("any", declared):
        assert answer(Image(svg), content=allowed).blocks[0].data == svg


@pytest.mark.parametrize("host", ["\ufdfa" * 400_000, "%EF%B7%BA" * 100_000, "a" * 5_000, "a." * 600_000])
def test_a_very_long_host_is_refused_before_it_is_normalised(host: str) -> None:
    """U+FDFA is eighteen characters in NFKC: 1.2 MB took 1.6 GB and 7 s."""
    uri = f"https://{host}/"
    with processor_limit(1):
        assert link_fault(uri) == "has a host name that is too long"
    assert link_fault(uri, private=True) == "has a host name that is too long"
