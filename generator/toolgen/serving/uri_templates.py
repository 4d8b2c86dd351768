"""Which resources a URI template, or a skill, may have."""

from __future__ import annotations

import re
from typing import Final

_EXPRESSION: Final = re.compile(r"\{[^{}]*\}")  # of a URI template: RFC 6570, section 2.2


SKILLS: Final = "io.modelcontextprotocol/skills"
"""The extension by which a server lists skills (SEP-2640)."""
_SKILL: Final = "/SKILL.md"  # the first file of a skill: the others are beside it, or below


def may_have(listed: str, uri: str) -> bool:
    """True if a resource may be of what is listed: of a URI template, or in the folder of a skill."""
    folder, is_skill, rest = listed.rpartition(_SKILL)
    return matches(listed, uri) or (bool(is_skill) and not rest and uri.startswith(f"{folder}/"))


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
