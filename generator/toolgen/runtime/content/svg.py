"""Find active content in an SVG: scripts, event handlers, foreign documents, entities, addresses.

The document is parsed, with the elements and attributes of static SVG 1.1 and 2 allowed by name. A search for
dangerous texts would miss those that another prefix, encoding or escape hides.
"""

from __future__ import annotations

from typing import Final, NoReturn
from xml.parsers import expat

_NAMESPACES: Final = {  # of elements; those of editors and metadata do nothing
    "http://www.w3.org/2000/svg": "svg",
    "": "svg",  # in HTML, they would be elements of SVG
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "metadata",
    "http://purl.org/dc/elements/1.1/": "metadata",
    "http://creativecommons.org/ns#": "metadata",
    "http://web.resource.org/cc/": "metadata",
    "http://www.inkscape.org/namespaces/inkscape": "metadata",
    "http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd": "metadata",
}
_XLINK: Final = "http://www.w3.org/1999/xlink"
_XML: Final = "http://www.w3.org/XML/1998/namespace"
# no animation: `set` and `animate` can give an address to a link
_STATIC_ELEMENTS: Final = """
a circle clipPath defs desc ellipse feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix
feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR
feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight
feTile feTurbulence filter g image line linearGradient marker mask metadata path pattern polygon polyline
radialGradient rect stop style svg switch symbol text textPath title tspan use view
"""
_ELEMENTS: Final = frozenset(_STATIC_ELEMENTS.split())
_STATIC_ATTRIBUTES: Final = """
alignment-baseline amplitude azimuth background baseFrequency baseProfile baseline-shift bias class clip
clip-path clip-rule clipPathUnits color color-interpolation color-interpolation-filters color-rendering
contentScriptType contentStyleType cursor cx cy d diffuseConstant direction display divisor
dominant-baseline dx dy edgeMode elevation enable-background exponent fill fill-opacity fill-rule filter
filterRes filterUnits flood-color flood-opacity focusable font font-family font-feature-settings
font-kerning font-size font-size-adjust font-stretch font-style font-variant font-weight fr fx fy
glyph-orientation-horizontal glyph-orientation-vertical gradientTransform gradientUnits height href id
image-rendering in in2 intercept isolation k1 k2 k3 k4 kernelMatrix kernelUnitLength kerning lang
lengthAdjust letter-spacing lighting-color limitingConeAngle line-height marker marker-end marker-mid
marker-start markerHeight markerUnits markerWidth mask mask-type maskContentUnits maskUnits media method
mix-blend-mode mode numOctaves offset opacity operator order orient overflow overflow-x overflow-y
paint-order path pathLength patternContentUnits patternTransform patternUnits pointer-events points
pointsAtX pointsAtY pointsAtZ preserveAlpha preserveAspectRatio primitiveUnits r radius refX refY rel
requiredExtensions requiredFeatures result role rotate rx ry scale seed shape-rendering side slope
solid-color solid-opacity spacing specularConstant specularExponent spreadMethod startOffset stdDeviation
stitchTiles stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin
stroke-miterlimit stroke-opacity stroke-width style surfaceScale systemLanguage tabindex tableValues target
targetX targetY text-align text-anchor text-decoration text-indent text-orientation text-overflow
text-rendering textLength title transform transform-box transform-origin type unicode-bidi values
vector-effect version vertical-align viewBox visibility white-space width word-spacing writing-mode x x1 x2
xChannelSelector y y1 y2 yChannelSelector z zoomAndPan
"""
_ATTRIBUTES: Final = frozenset(_STATIC_ATTRIBUTES.split())
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
        kind = _NAMESPACES.get(namespace)
        if kind == "metadata":
            return
        # an unknown namespace may be XHTML, whose scripts run in an SVG
        if kind is None or element not in _ELEMENTS or self._style is not None:
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
    if _NAMESPACES.get(namespace) == "metadata" or namespace in (_XLINK, _XML):
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
