"""The documentation as a site: every page is in a menu, links lead somewhere, and Chromium finds it accessible."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import npm
from tools import docs_site

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ROOT / ".conformance"
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def test_every_page_is_in_a_menu(tmp_path: Path) -> None:
    docs_site.lay_out(tmp_path)
    assert list(docs_site.unlisted_pages(tmp_path)) == []


def test_a_link_that_leads_nowhere_is_reported(tmp_path: Path) -> None:
    tmp_path.joinpath("index.html").write_text(
        '<h1 id="top"><a href="other.html#part">x</a><a href="#top">y</a>'
    )
    tmp_path.joinpath("other.html").write_text('<h1 id="whole"><img src="missing.png">')
    assert list(docs_site.broken_links(tmp_path)) == [
        "index.html: other.html#part leads nowhere",
        "other.html: missing.png leads nowhere",
    ]


@pytest.mark.browser
def test_the_site_is_accessible_and_asks_no_other_server() -> None:
    assert BROWSER, "install Chromium first: apt-get install chromium"
    path = npm.node_path(PACKAGES, (22, 19))
    npm.install(PACKAGES, "playwright-core@1.65.1", "axe-core@4.14.0", path=path)
    assert docs_site.main() == 0
    pages = sorted(page for page in docs_site.SITE.glob("*.html") if page.name != "404.html")
    asked = {
        "browser": BROWSER,
        "axe": str(PACKAGES / "node_modules/axe-core/axe.min.js"),
        "pages": [page.as_uri() for page in pages],
    }
    done = subprocess.run(
        ["node", str(Path(__file__).with_name("axe.mjs")), json.dumps(asked)],
        cwd=PACKAGES,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    of_theme = sorted(
        {f"{each['id']} ({each['impact']})" for each in found if not each.get("inContent", True)}
    )
    print("of the theme:", ", ".join(of_theme) or "nothing")
    serious = [
        each
        for each in found
        if each.get("inContent", True) and each.get("impact") in (None, "serious", "critical")
    ]
    assert {(each["id"], each.get("colorScheme"), each.get("html"), each["url"]) for each in serious} == set()
