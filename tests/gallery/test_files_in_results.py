"""Charts and printed orders: their files are whole, the same each time, and have what is in the database."""

from __future__ import annotations

import io
import re
import zlib
from pathlib import Path
from xml.etree import ElementTree

import PIL.Image

from .test_examples import call


def printed_text(pdf: bytes) -> str:
    """Return the text that a PDF of fpdf2 draws."""
    streams = [zlib.decompress(each) for each in re.findall(rb"stream\n(x.+?)\nendstream", pdf, re.DOTALL)]
    return "\n".join(re.findall(r"\((.*?)\) Tj", b"\n".join(streams).decode("latin-1")))


def test_a_chart_is_a_png_and_an_svg_of_the_same_size(tmp_path: Path) -> None:
    png, svg = call(tmp_path, "stock_chart", {"category": "wheels"}).blocks
    assert (png.media_type, svg.media_type) == ("image/png", "image/svg+xml")
    with PIL.Image.open(io.BytesIO(png.data)) as image:
        width, height = image.size
    root = ElementTree.fromstring(svg.data)
    assert (root.get("width"), root.get("height")) == (str(width // 2), str(height // 2))
    assert "Spokes 264 mm, box of 100" in svg.text


def test_a_printed_order_has_its_lines_and_the_same_bytes_each_time(tmp_path: Path) -> None:
    first, second = (
        call(tmp_path, "print_purchase_order", {"order_number": "PO-2026-0002"}).blocks[0] for _ in range(2)
    )
    assert (first.media_type, first.name) == ("application/pdf", "PO-2026-0002.pdf")
    assert first.sha256 == second.sha256
    text = printed_text(first.data)
    for expected in ("CHN-11S", "23.90", "717.00", "1104.00", "Note: Spring stock"):
        assert expected in text
