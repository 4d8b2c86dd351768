"""A typed client of a server that lists 5,000 tools, and the limits of such lists.

Where this was first run, writing the client took 27 s of processor time and 315 MB, for 15,010 files; checking
it against the server took 31 s and 387 MB. Whether the server lists all tools on one page makes no difference.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

SERVER = Path(__file__).with_name("many_tools_server.py")
TOOLS = 5_000

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended, and what it took together with the server that it started."""

    code: int
    out: str
    err: str
    seconds: float  # of processor time
    megabytes: float


def client(folder: Path, *words: str, listing: tuple[int, ...]) -> Done:
    """Run `toolgen client` for a server with this list: tools, tools on a page, bytes of a description."""
    server = [sys.executable, str(SERVER), *map(str, listing)]
    command = [sys.executable, "-m", "toolgen", "-C", str(folder), "client", *words, "--", *server]
    with (folder / "out").open("w+") as out, (folder / "err").open("w+") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        seconds = used.ru_utime + used.ru_stime
        return Done(process.returncode, out.read(), err.read(), seconds, used.ru_maxrss / 1024)


def test_a_client_of_5000_tools_is_written_and_checked(tmp_path: Path) -> None:
    written = client(tmp_path, "--out", "app", "--package", "records", listing=(TOOLS, 100))
    assert (written.code, written.out) == (0, "5000 tools in records, 15010 files written\n"), written.err
    assert written.seconds < 120
    assert written.megabytes < 600
    lock = json.loads((tmp_path / "app/toolgen.lock").read_text())
    assert [tool["name"] for tool in lock["tools"]] == sorted(f"find_records_{n}" for n in range(TOOLS))

    checked = client(tmp_path, "--out", "app", "--check", "--upstream", listing=(TOOLS, TOOLS))
    assert (checked.code, checked.err) == (0, "upstream: no change\nclean: 5000 tools, 15009 files\n")
    assert checked.seconds < 120
    assert checked.megabytes < 600


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
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "many_tools_serv" in done.err
    assert "  = help: " in done.err
    assert not (tmp_path / "app").exists()
    assert done.seconds < 30
    assert done.megabytes < 600
