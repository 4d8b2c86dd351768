"""Neovim with the settings of docs/editors.md, and what its built-in client shows of `toolgen lsp`.

`TOOLGEN_PICTURES=docs/pictures` writes the picture of the documentation: the cells of Neovim's screen.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from html import escape
from pathlib import Path
from typing import Any

import pytest

from tests.language_server.conftest import FIND, PLACE, SHOP

pytestmark = pytest.mark.editors

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
PICTURES = os.environ.get("TOOLGEN_PICTURES", "")
WIDTH, HEIGHT = 8.4, 18  # of a cell of the picture
TEXT, PAPER = "#d4d4d4", "#1e1e1e"


def settings() -> str:
    """Return the settings for this version of Neovim as the documentation has them."""
    block = re.search(
        r"<!-- tried with Neovim 0\.7 -->\n```lua\n(.*?)```", (DOCS / "editors.md").read_text(), re.DOTALL
    )
    assert block is not None
    return block[1]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    if shutil.which("nvim") is None:
        pytest.fail("these tests need Neovim on PATH (Debian: neovim)")
    root = tmp_path_factory.mktemp("neovim")
    (root / "specs/schemas").mkdir(parents=True)
    (root / "toolgen.toml").write_text('specs = "specs"\n[mcp]\nreferences = "inline"\n')
    (root / "specs/find_orders.yaml").write_text(FIND)
    (root / "specs/place_order.yaml").write_text(
        PLACE.replace("title:", "titel:").replace("name: place_order\n", "") + "name: place_order\n"
    )
    (root / "specs/schemas/shop.yaml").write_text(SHOP)
    (root / "init.lua").write_text(settings())
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    command = [
        "nvim",
        "--headless",
        "--clean",
        "-n",
        "-i",
        "NONE",
        "-u",
        "init.lua",
        "-S",
        str(HERE / "drive.lua"),
    ]
    done = subprocess.run(
        command,
        cwd=root,
        env={**os.environ, "PATH": path, "TOOLGEN_SHOWN": str(root / "shown.json")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (root / "shown.json").exists(), done.stderr
    found: dict[str, Any] = json.loads((root / "shown.json").read_text())
    assert "error" not in found, found["error"]
    return found


def test_diagnostics_and_definitions(shown: dict[str, Any]) -> None:
    assert shown["diagnostics"] == [
        [0, 0, 5, "unknown-field", "unknown field 'titel'\nhelp: did you mean 'title'?"]
    ]
    assert shown["definition"]["uri"].endswith("/specs/schemas/shop.yaml")


def test_formatting(shown: dict[str, Any]) -> None:
    assert shown["formatted"] + "\n" == PLACE


def test_its_screen_has_the_messages(shown: dict[str, Any]) -> None:
    screen = ["".join(cell[0] for cell in row).rstrip() for row in shown["cells"]]
    assert "E titel: Place an order     ■ unknown field 'titel'  help: did you mean 'title'?" in screen
    if PICTURES:
        Path(PICTURES, "neovim.svg").write_text(picture(shown["cells"]))


def picture(rows: list[list[list[Any]]]) -> str:
    """Return the cells of a screen, each with its text and colours, as SVG."""
    rows = [row for row in rows if "".join(cell[0] for cell in row).strip() not in ("", "~")]
    width, height = len(rows[0]) * WIDTH + 24, len(rows) * HEIGHT + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-family="monospace" font-size="14">',
        "<title>A spec in Neovim, with diagnostics of toolgen lsp</title>",
        f'<rect width="100%" height="100%" rx="6" fill="{PAPER}"/>',
    ]
    for number, row in enumerate(rows):
        y = 10 + number * HEIGHT
        at = 0
        while at < len(row):
            end = next((each for each in range(at, len(row)) if row[each][1:] != row[at][1:]), len(row))
            text, (front, back, marked) = "".join(cell[0] for cell in row[at:end]), row[at][1:]
            x, size = 12 + at * WIDTH, (end - at) * WIDTH
            if back >= 0:
                parts.append(
                    f'<rect x="{x:.1f}" y="{y}" width="{size:.1f}" height="{HEIGHT}" fill="{color(back, PAPER)}"/>'
                )
            if text.strip():
                line = ' text-decoration="underline"' if marked else ""
                parts.append(
                    f'<text x="{x:.1f}" y="{y + 14}" textLength="{size:.1f}" fill="{color(front, TEXT)}" xml:space="preserve"{line}>{escape(text)}</text>'
                )
            at = end
    return "\n".join([*parts, "</svg>", ""])


def color(number: int, otherwise: str) -> str:
    return otherwise if number < 0 else f"#{number:06x}"
