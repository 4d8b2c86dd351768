"""`toolgen test --against` with servers of the MCP SDK: ours over stdio and HTTP, and one written by hand."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.preloaded import python_command

from .shop import Shop


def mock_command(shop: Shop) -> list[str]:
    return [*python_command(os.environ), "-m", "toolgen", "-C", str(shop.cli.root), "mock"]


@contextmanager
def mock_over_http(shop: Shop) -> Iterator[str]:
    """Run the mock of the shop; yield its URL."""
    command = [*mock_command(shop), "--http", "--port", "0", "--quiet"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            found = re.search(r"http://\S+/mcp", process.stderr.readline())
            assert found is not None
            yield found[0]
        finally:
            process.terminate()


def results(shop: Shop, against: str, *words: str) -> dict[str, str]:
    report = shop.report(*words, against=against)
    assert "MCP 2026-07-28" in report["server"], "the newest version that both speak"
    for tool in report["tools"]:
        assert tool["failures"] == []
    return {tool["name"]: sorted(tool["not_checked"]) for tool in report["tools"]}


def test_our_server_over_stdio(shop: Shop) -> None:
    not_checked = results(shop, shlex.join(mock_command(shop)))
    assert "stream" not in not_checked["watch"]
    assert "error codes" not in not_checked["look"]


def test_our_server_over_http(shop: Shop) -> None:
    with mock_over_http(shop) as url:
        not_checked = results(shop, url)
        assert "stream" not in not_checked["watch"]
        done = shop.cli("call", "clear", "--yes", "--against", url)
        assert (done.code, done.out) == (0, '{\n  "left": 0\n}\n')
    done = shop.cli("call", "clear", "--against", url)
    assert (done.code, f"{url}: " in done.err) == (2, True), "it has ended"
