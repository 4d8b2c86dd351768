"""Which resources a URI template may have."""

from __future__ import annotations

import re
from typing import Final

_EXPRESSION: Final = re.compile(r"\{[^{}]*\}")  # of a URI template: RFC 6570, section 2.2


def matches(template: str, uri: str) -> bool:
    """True if a URI may be of a URI template, whose expressions stand for any text here.

    Takes time in proportion to the text: templates and URIs are those of strangers.
    """
    first, *others = _EXPRESSION.split(template)
    if not others:
        return uri == template
    last = others.pop()
    if not uri.startswith(first) or len(uri) < len(first) + len(last) or not uri.endswith(last):
        return False
    start, end = len(first), len(uri) - len(last)
    for literal in others:
        found = uri.find(literal, start, end)
        if found < 0:
            return False
        start = found + len(literal)
    return True
