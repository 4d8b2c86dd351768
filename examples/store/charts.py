"""Bar charts, laid out once and written as PNG, by Pillow, and as SVG."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from xml.etree import ElementTree

from PIL import Image, ImageDraw, ImageFont

_WIDTH: Final = 640  # all lengths are in units of the SVG
_HEAD: Final = 48
_ROW: Final = 30
_BARS_FROM, _BARS_TO = 220, 590
_TEXT_SIZE: Final = 13
_SCALE: Final = 2  # pixels of a unit, for sharp text
_INK, _BAR, _SHORT, _MARK = "#222222", "#2f6f9f", "#c0392b", "#e0a030"


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, and the level that it should not fall below."""

    label: str
    value: int
    level: int


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float
    colour: str


@dataclass(frozen=True, slots=True)
class _Text:
    x: float
    y: float  # of its middle
    text: str
    align: Literal["left", "right"] = "left"


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart that is laid out."""

    title: str
    height: int
    boxes: tuple[_Box, ...]
    texts: tuple[_Text, ...]

    def png(self) -> bytes:
        """Return the chart as PNG."""
        image = Image.new("RGB", (_WIDTH * _SCALE, self.height * _SCALE), "white")
        draw = ImageDraw.Draw(image)
        font = ImageFont.load_default(_TEXT_SIZE * _SCALE)
        for box in self.boxes:
            corners = (box.left, box.top, box.right, box.bottom)
            draw.rectangle([each * _SCALE for each in corners], fill=box.colour)
        for text in self.texts:
            anchor = "lm" if text.align == "left" else "rm"
            draw.text((text.x * _SCALE, text.y * _SCALE), text.text, _INK, font, anchor)
        data = io.BytesIO()
        image.save(data, "PNG", optimize=True)
        return data.getvalue()

    def svg(self) -> bytes:
        """Return the chart as SVG."""
        size = {"width": str(_WIDTH), "height": str(self.height), "viewBox": f"0 0 {_WIDTH} {self.height}"}
        root = ElementTree.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", **size})
        ElementTree.SubElement(root, "title").text = self.title
        ElementTree.SubElement(root, "rect", {"width": "100%", "height": "100%", "fill": "white"})
        for box in self.boxes:
            place = {"x": f"{box.left:g}", "y": f"{box.top:g}"}
            extent = {"width": f"{box.right - box.left:g}", "height": f"{box.bottom - box.top:g}"}
            ElementTree.SubElement(root, "rect", {**place, **extent, "fill": box.colour})
        font = {"font-family": "sans-serif", "font-size": str(_TEXT_SIZE), "fill": _INK}
        for text in self.texts:
            place = {"x": f"{text.x:g}", "y": f"{text.y:g}", "dominant-baseline": "middle"}
            anchor = "start" if text.align == "left" else "end"
            ElementTree.SubElement(root, "text", {**place, "text-anchor": anchor, **font}).text = text.text
        return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True))


def bar_chart(title: str, bars: Sequence[Bar]) -> Chart:
    """Lay out a chart with horizontal bars; those below their level have another colour."""
    largest = max((max(bar.value, bar.level) for bar in bars), default=0) or 1
    unit = (_BARS_TO - _BARS_FROM) / largest
    boxes = tuple(box for row, bar in enumerate(bars) for box in _boxes(row, bar, unit))
    texts = tuple(text for row, bar in enumerate(bars) for text in _texts(row, bar, unit))
    return Chart(title, _HEAD + _ROW * len(bars) + 12, boxes, (_Text(16, _HEAD / 2, title), *texts))


def _boxes(row: int, bar: Bar, unit: float) -> Iterator[_Box]:
    top = _HEAD + row * _ROW + 6
    colour = _SHORT if bar.value < bar.level else _BAR
    level = round(_BARS_FROM + bar.level * unit, 1)
    yield _Box(_BARS_FROM, top, round(_BARS_FROM + bar.value * unit, 1), top + _ROW - 12, colour)
    yield _Box(level - 1, top - 4, level + 1, top + _ROW - 8, _MARK)


def _texts(row: int, bar: Bar, unit: float) -> Iterator[_Text]:
    middle = _HEAD + row * _ROW + _ROW / 2
    end = _BARS_FROM + max(bar.value, bar.level) * unit
    yield _Text(_BARS_FROM - 10, middle, bar.label, "right")
    yield _Text(round(end + 8, 1), middle, str(bar.value))
