"""`import mcp URL` limits the size of responses after decompression."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.bombs.documents import write_project
from tests.bombs.gzip_server import answering
from tests.bombs.limited_process import MEGABYTES, toolgen


@pytest.mark.slow
def test_a_gzipped_response_is_limited_after_decompression(tmp_path: Path) -> None:
    write_project(tmp_path)
    with answering(gzip.compress(b" " * 600_000_000, 1)) as url:
        done = toolgen("import", "mcp", url, folder=tmp_path)
    assert done.code == 2, done.err[:500]
    assert done.megabytes < MEGABYTES
