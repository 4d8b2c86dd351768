"""People approve calls in Chromium, with its virtual authenticator and a keyboard alone."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import npm
from tests.approval.adversary import make_project
from tests.end_to_end.replicas import free_port
from tests.site.test_site import BROWSER, PACKAGES

EXPIRY = 40  # seconds: long enough for all steps before the last


@pytest.mark.browser
def test_people_approve_calls_in_a_browser(tmp_path: Path) -> None:
    assert BROWSER, "install Chromium first: apt-get install chromium"
    path = npm.node_path(PACKAGES, (22, 19))
    npm.install(PACKAGES, "playwright-core@1.65.1", "axe-core@4.14.0", path=path)
    project, port = make_project(tmp_path, {}), free_port()
    project.write("balance.txt", "3 brake pads\n120.50 EUR to card 4242")

    async def main() -> Any:
        flags = ("--stateless", "--port", str(port))
        async with project.server(*flags, preloaded=False, TOOLGEN_CONFIRMATION_EXPIRY=str(EXPIRY)) as server:
            asked = {
                "browser": BROWSER,
                "server": f"http://localhost:{port}",
                "approvers": str(tmp_path / "approvers.toml"),
                "pid": server.process.pid,
                "pictures": os.environ.get("TOOLGEN_PICTURES", ""),
                "expiry": EXPIRY + 10,
            }
            command = ["node", str(Path(__file__).with_name("browser.mjs")), json.dumps(asked)]
            env = {**os.environ, "PATH": path}
            done = await asyncio.to_thread(
                subprocess.run, command, cwd=PACKAGES, env=env, capture_output=True, text=True, timeout=300
            )
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout)

    found = asyncio.run(main())
    assert found["faults"] == []
    assert found["states"] == {"approved": False, "declined": "declined", "both": False}
    assert found["entries"] == 2
    assert "Refund 120.5 for 9007199254740993?" in found["shown"]
    assert "The same was done before" in found["before"]
