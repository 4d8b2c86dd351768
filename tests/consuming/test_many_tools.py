"""A typed client of a server that lists 5,000 tools, paged and on one page, and the limits of such lists."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SERVER = Path(__file__).with_name("many_tools_server.py")
TOOLS = 5_000

pytestmark = pytest.mark.slow


def client(folder: Path, *words: str, listing: tuple[int, ...]) -> subprocess.CompletedProcess[str]:
    """Run `toolgen client` for a server with this list: tools, tools on a page, bytes of a description."""
    server = [sys.executable, str(SERVER), *map(str, listing)]
    command = [sys.executable, "-m", "toolgen", "-C", str(folder), "client", *words, "--", *server]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_client_of_5000_tools_is_written_and_checked(tmp_path: Path) -> None:
    written = client(tmp_path, "--out", "app", "--package", "records", listing=(TOOLS, 100))
    said = "5000 tools in records, 15010 files written\n"
    assert (written.returncode, written.stdout) == (0, said), written.stderr
    lock = json.loads((tmp_path / "app/toolgen.lock").read_text())
    assert [tool["name"] for tool in lock["tools"]] == sorted(f"find_records_{n}" for n in range(TOOLS))

    checked = client(tmp_path, "--out", "app", "--check", "--upstream", listing=(TOOLS, TOOLS))
    said = "upstream: no change\nclean: 5000 tools, 15009 files\n"
    assert (checked.returncode, checked.stderr) == (0, said)


@pytest.mark.parametrize(
    ("listing", "said"),
    [
        pytest.param((TOOLS, 1), "does not end within 1,000 pages", id="too many pages"),
        pytest.param((2_000, 2_000, 40_000), "more than 64 MB", id="too many bytes on one page"),
        pytest.param((2_000, 20, 40_000), "more than 64 MB", id="too many bytes"),
        pytest.param((10_001, 1_000), "more than 10,000 tools", id="too many tools"),
    ],
)
def test_a_list_beyond_the_limits_is_an_error(tmp_path: Path, listing: tuple[int, ...], said: str) -> None:
    done = client(tmp_path, "--out", "app", "--package", "records", listing=listing)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "many_tools" in done.stderr
    assert "  = help: " in done.stderr
    assert not (tmp_path / "app").exists()
