"""The web interface of the MCP Inspector, in Chromium: it shows the chart of a tool of the gallery."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .conftest import PACKAGES, ROOT, install
from .test_protocol import INSPECTOR, SERVER

pytestmark = pytest.mark.browser

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = "playwright-core@1.65.1"
CALL = ["call", "stock_chart", "--input", '{"category": "brakes"}']


@contextmanager
def inspector(environment: dict[str, str]) -> Iterator[str]:
    """Run the Inspector on the gallery's server, and give its address, which has its token."""
    command = [*INSPECTOR, "--web", *SERVER]
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


def test_the_inspector_shows_the_chart(environment: dict[str, str], tmp_path: Path) -> None:
    assert BROWSER, "install Chromium first: apt-get install chromium"
    install(DRIVER, path=environment["PATH"])
    shot = os.environ.get("TOOLGEN_SCREENSHOT", "")
    with inspector(environment) as url:
        asked = {"url": url, "browser": BROWSER, "tool": "Stock chart", "choices": {"category": "brakes"}}
        done = subprocess.run(
            [
                "node",
                str(Path(__file__).with_name("inspector_web.mjs")),
                json.dumps({**asked, "screenshot": shot}),
            ],
            cwd=PACKAGES,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == 0, done.stderr
    images = json.loads(done.stdout)
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
