"""A page of another origin calls a generated server with `fetch`, in Chromium: only one of an allowed origin can."""

from __future__ import annotations

import asyncio
import html
import json
import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.end_to_end.project import ECHO_SPEC, ECHO_TOOL, Project, token_of
from tests.http_server import QuietHandler, serve

pytestmark = pytest.mark.browser

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or "chromium"
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000", "--dump-dom")


async def test_a_page_of_an_allowed_origin_can_call(tmp_path: Path) -> None:
    async def shown(origin: str) -> Any:
        address = f"{origin}#{quote(json.dumps([server.url, token_of('page')]))}"
        browser = await asyncio.create_subprocess_exec(BROWSER, *FLAGS, address, stdout=-1, stderr=-3)
        text = (await browser.communicate())[0].decode()
        return json.loads(html.unescape(re.findall(r"<body>(.*)</body>", text, re.DOTALL)[0]))

    class Page(QuietHandler):
        def do_GET(self) -> None:
            self.reply(Path(__file__).with_name("page.html").read_bytes(), content_type="text/html")

    project = Project.create(tmp_path)
    project.add_tool("echo", ECHO_SPEC, ECHO_TOOL)
    project.generate()
    with serve(Page) as origin:
        flags = ("--auth-tokens", project.write_tokens(page=[]), "--allowed-origin", origin)
        async with project.server(*flags) as server:
            assert await shown(origin) == {
                "refused": [401, "Bearer"],
                "session": True,
                "ended": [200, 404],
                "json": ["application/json", {"text": "from a page"}],
            }
            assert await shown(origin.replace("127.0.0.1", "localhost")) == {"error": "TypeError"}
