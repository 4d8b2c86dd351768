"""Find active content in an SVG: scripts, event handlers, foreign documents, entities."""

from __future__ import annotations

import html
import re
from typing import Final

_ACTIVE: Final = re.compile(
    r"<(?:\w+:)?(?:script|foreignobject|iframe|object|embed|handler|listener|set)\b"
    r"|<!doctype|<!entity|<\?xml-stylesheet"
    r"|[\s\"'/]on[a-z]+\s*="
    r"|=\s*[\"']?\s*(?:javascript:|vbscript:|data:(?!image/(?:png|jpeg|gif|webp)))"
    r"|@import|expression\(",
    re.IGNORECASE,
)
_BREAKS: Final = re.compile(r"[\t\r\n]")  # browsers ignore them inside of addresses
_HIDDEN: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\u200b-\u200f\ufeff]")


def is_active_svg(data: bytes) -> bool:
    """True unless an SVG surely has no active content: a browser that opens it runs nothing.

    Data in another encoding than UTF-8 counts as active.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return True
    plain = _HIDDEN.sub("", html.unescape(text))
    return any(_ACTIVE.search(each) for each in (plain, _BREAKS.sub("", plain)))
