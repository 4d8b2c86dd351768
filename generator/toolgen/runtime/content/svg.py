"""Find active content in an SVG: scripts, event handlers, foreign documents, entities, addresses.

The document is parsed, with the elements and attributes of static SVG 1.1 and 2 allowed by name. A search for
dangerous texts would miss those that another prefix, encoding or escape hides.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Final, NoReturn
from xml.parsers import expat

_STATIC: Final = json.loads(files("toolgen.runtime.content").joinpath("svg.json").read_text("utf-8"))
# no animation: `set` and `animate` can give an address to a link
_ELEMENTS: Final = frozenset(_STATIC["elements"])
_ATTRIBUTES: Final = frozenset(_STATIC["attributes"])
_METADATA: Final = frozenset(_STATIC["metadata"])  # namespaces whose elements do nothing
# in HTML, elements without a namespace would be elements of SVG
_SVG: Final = frozenset(("http://www.w3.org/2000/svg", ""))
_XLINK: Final = "http://www.w3.org/1999/xlink"
_XML: Final = "http://www.w3.org/XML/1998/namespace"
_PICTURES: Final = tuple(f"data:image/{each};" for each in ("png", "jpeg", "gif", "webp"))
_LINKS: Final = ("http://", "https://", "mailto:")
_ACTIVE_CSS: Final = ("@import", "expression(", "javascript:", "behavior:", "-moz-binding", "\\", "<")


def is_active_svg(data: bytes) -> bool:
    """False if a browser that opens an SVG surely runs and loads nothing, true otherwise.

    Data that is not well-formed XML in UTF-8 counts as active. The work grows with the size of the data.
    """
    try:
        _Reader().read(data)
    except (expat.ExpatError, _ActiveError):
        return True
    return False


class _ActiveError(Exception):
    """The document has content that is not allowed."""


class _Reader:
    """Reads a document; raises _ActiveError where it is not static."""

    def __init__(self) -> None:
        # another encoding in the document would make a browser read another text
        self._parser = parser = expat.ParserCreate("utf-8", " ")
        parser.XmlDeclHandler = self._declaration
        parser.StartDoctypeDeclHandler = parser.ProcessingInstructionHandler = _refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.buffer_text = True
        self._style: list[str] | None = None  # texts of the `style` element that is open

    def read(self, data: bytes) -> None:
        # at once: expat before 2.6 parses a long token again with every piece (CVE-2023-52425)
        self._parser.Parse(data, True)

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower() != "utf-8":
            raise _ActiveError

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        namespace, _, element = name.rpartition(" ")
        if namespace in _METADATA:
            return
        # an unknown namespace may be XHTML, whose scripts run in an SVG
        if namespace not in _SVG or element not in _ELEMENTS or self._style is not None:
            raise _ActiveError
        for each, value in attributes.items():
            _check_attribute(element, each, value)
        if element == "style":
            self._style = []

    def _end(self, name: str) -> None:
        if self._style is not None:
            _check_css("".join(self._style))
            self._style = None

    def _text(self, text: str) -> None:
        if self._style is not None:
            self._style.append(text)


def _refuse(*_: object) -> NoReturn:
    raise _ActiveError


def _check_attribute(element: str, name: str, value: str) -> None:
    namespace, _, attribute = name.rpartition(" ")
    if namespace == _XLINK and attribute == "href":
        namespace = ""
    if namespace in _METADATA or namespace in (_XLINK, _XML):
        return  # labels, languages, spaces: not for browsers
    if namespace or not (attribute in _ATTRIBUTES or attribute.startswith(("aria-", "data-"))):
        raise _ActiveError
    if attribute == "href":
        _check_address(element, value)
    else:
        _check_css(value)


def _check_address(element: str, value: str) -> None:
    """Allow a part of the document; pictures in `image` and `feImage`; pages in `a`."""
    allowed: tuple[str, ...] = ("#",)
    if element in ("image", "feImage"):
        allowed = ("#", *_PICTURES)
    elif element == "a":
        allowed = ("#", *_LINKS)
    if value and not value.strip().lower().startswith(allowed):
        raise _ActiveError


def _check_css(text: str) -> None:
    """Allow values and rules that refer to parts of the document and to pictures in it, nothing else."""
    plain = text.lower()
    if any(each in plain for each in _ACTIVE_CSS):
        raise _ActiveError
    if "/*" in plain and "url" in plain:  # a comment can divide `url` from its address
        raise _ActiveError
    _, *addresses = plain.split("url(")
    for address in addresses:
        # a slice, because stripping each rest of a long text takes quadratic time
        if not address[:100].lstrip(" \t\r\n\"'").startswith(("#", *_PICTURES)):
            raise _ActiveError
