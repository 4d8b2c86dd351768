"""The web interface of the MCP Inspector, in Chromium: it shows the chart of a tool of the gallery."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from .conftest import PACKAGES, ROOT, install
from .test_protocol import INSPECTOR, SERVER

pytestmark = pytest.mark.browser

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = "playwright-core@1.65.1"
CALL = ["call", "stock_chart", "--input", '{"category": "brakes"}']


PICTURES = os.environ.get("TOOLGEN_PICTURES", "")  # a folder: write the pictures of the documentation into it


@contextmanager
def inspector(environment: dict[str, str], server: Sequence[str]) -> Iterator[str]:
    """Run the Inspector on a server, and give its address, which has its token."""
    command = [*INSPECTOR, "--web", *server]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if "http://" in line and "TOKEN" in line:
                yield line.strip()
                break
        else:
            pytest.fail("".join(lines))
    finally:
        process.terminate()
        process.wait(20)


def call_in_browser(
    environment: dict[str, str], picture: str = "", *, server: Sequence[str] = SERVER, **asked: Any
) -> Any:
    """Call a tool in the Inspector, in Chromium; return what it shows, and save `picture` of it."""
    assert BROWSER, "install Chromium first: apt-get install chromium"
    install(DRIVER, path=environment["PATH"])
    screenshot = str(Path(PICTURES, picture).resolve()) if PICTURES and picture else ""
    with inspector(environment, server) as url:
        told = json.dumps({**asked, "url": url, "browser": BROWSER, "screenshot": screenshot})
        script = str(Path(__file__).with_name("inspector_web.mjs"))
        done = subprocess.run(
            ["node", script, told],
            cwd=PACKAGES,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_inspector_shows_the_chart(environment: dict[str, str], tmp_path: Path) -> None:
    images = call_in_browser(environment, "chart.png", tool="Stock chart", choices={"category": "brakes"})
    shown = {base64.b64decode(each["source"].partition("base64,")[2]) for each in images}
    subprocess.run(
        [sys.executable, "-m", "toolgen", *CALL, "--save", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    assert shown == {file.read_bytes() for file in tmp_path.iterdir()}
    assert all(each["width"] > 100 for each in images), "the browser could not draw one of them"
    assert len(images) == 2


def test_the_inspector_asks_the_user_with_all_that_would_be_done(environment: dict[str, str]) -> None:
    question = call_in_browser(
        environment,
        server=["env", "TOOLGEN_SCOPES=stock:write", *SERVER],
        tool="Fulfill order",
        texts={"order_number": "SO-2026-0002"},
        asks=True,
    )
    assert "ship to Harbour school" in question
    assert "TYR-4228 Tyre 42-622, touring: -4" in question
    assert "Fulfill SO-2026-0002?" in question
