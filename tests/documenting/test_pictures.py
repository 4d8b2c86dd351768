"""The pictures of the page in the documentation are there, whole, and of the page as it is now."""

from __future__ import annotations

import json
import struct
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PICTURES = ROOT / "docs/pictures"
NAMES = ("page-overview", "page-tool-light", "page-tool-dark", "page-consent")
SIZE = (1280, 900)
SHOWN = (
    "explorer/src/main.jsx",
    "explorer/src/tool.jsx",
    "explorer/src/tree.jsx",
    "explorer/src/page.css",
    "specs/create_purchase_order.yaml",
)
"""What decides how the pictures look."""


def shown_in_pictures() -> dict[str, str]:
    """Return the hashes of what the pictures show: file → SHA-256 of its text with LF."""
    return {
        file: sha256(ROOT.joinpath(file).read_text(encoding="utf-8").encode()).hexdigest() for file in SHOWN
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_whole_and_of_the_size_of_a_window(name: str) -> None:
    data = (PICTURES / f"{name}.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", data[16:24]) == SIZE
    assert data.endswith(b"IEND\xaeB`\x82")
    assert len(data) > 20_000  # an empty page has less


def test_the_pictures_are_of_the_page_as_it_is() -> None:
    recorded = json.loads((PICTURES / "page.json").read_text(encoding="utf-8"))
    assert recorded == shown_in_pictures(), (
        "the pictures are out of date: make test-browser PICTURES=docs/pictures"
    )


def test_the_readme_shows_the_main_views() -> None:
    readme = ROOT.joinpath("README.md").read_text(encoding="utf-8")
    for name in ("page-overview", "page-tool-light", "page-consent"):
        assert f"(docs/pictures/{name}.png)" in readme
