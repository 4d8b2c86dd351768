"""The committed script of the page is built from the sources in `explorer/`, and is small and safe."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest
from toolgen.documents.pages import POLICY
from toolgen.documents.site import MARK, bundle

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "generator/toolgen/documents/page"
MANIFEST = json.loads((PAGE / "manifest.json").read_text())
LARGEST = 1_000_000  # bytes of script


def digest(path: Path) -> str:
    return sha256(path.read_text("utf-8").encode()).hexdigest()


def test_the_bundle_is_that_of_the_sources() -> None:
    files = ["package.json", "package-lock.json", "build.mjs"]
    files += [f"src/{path.name}" for path in sorted((ROOT / "explorer/src").iterdir())]
    found = {path: digest(ROOT / "explorer" / path) for path in files}
    assert found == MANIFEST["sources"], "the page is out of date: make explorer"


@pytest.mark.parametrize("name", sorted(MANIFEST["files"]))
def test_the_bundle_was_not_edited(name: str) -> None:
    assert digest(PAGE / name) == MANIFEST["files"][name], "the page was edited: make explorer"


def test_the_script_is_small_and_compiles_no_code() -> None:
    script = bundle()["page.js"]
    assert len(script) < LARGEST
    assert not re.search(r"\bnew Function\b|\beval\(", script)
    assert not any("innerhtml" in path.read_text().lower() for path in (ROOT / "explorer/src").iterdir())


def test_the_policy_allows_nothing_unsafe_and_no_other_origin() -> None:
    written = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', bundle()["index.html"])
    assert written is not None
    assert MARK in bundle()["index.html"]
    assert written[1] == POLICY.removesuffix("; frame-ancestors 'none'")  # of headers only
    assert "unsafe" not in POLICY
    assert "http" not in POLICY
    assert POLICY.startswith("default-src 'none'; script-src 'self'; style-src 'self';")


def test_the_licences_of_all_parts_are_listed() -> None:
    licences = bundle()["LICENSES.txt"]
    for name in ("@cfworker/json-schema", "@rjsf/core", "@rjsf/utils", "lowlight", "highlight.js", "preact"):
        assert re.search(
            rf"^{re.escape(name)} \d+\.\d+\.\d+: (MIT|Apache-2.0|BSD-3-Clause)$", licences, re.MULTILINE
        )
