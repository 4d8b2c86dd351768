"""Regular expressions as authors write them, for a validator whose engine is stricter.

ECMA-262, as browsers and most tools have it, takes a brace that begins no count, and a `-` beside `\\w`, for
themselves. The validator's engine refuses them. `relaxed` escapes them, which changes no meaning.
"""

from __future__ import annotations

import re
from typing import Any

from toolgen.schema.walk import subschemas

_COUNT = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")
_ESCAPE = re.compile(r"\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|k<[^>]*>|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_CLASSES = frozenset(("\\w", "\\W", "\\d", "\\D", "\\s", "\\S"))


def relaxed(pattern: str) -> str:
    """`pattern` with stray braces, and dashes beside character classes, escaped."""
    out: list[str] = []
    at = 0
    inside = False  # a [...]
    before = ""  # the last piece inside of it
    while at < len(pattern):
        match = _ESCAPE.match(pattern, at) or (None if inside else _COUNT.match(pattern, at))
        piece = match[0] if match else pattern[at]
        at += len(piece)
        if inside:
            beside = before in _CLASSES or pattern[at : at + 2] in _CLASSES
            inside = piece != "]"
            before = piece
            out.append("\\-" if piece == "-" and beside else piece)
        else:
            inside, before = piece == "[", ""
            # Python reads {,3} as a count and browsers as text: left as it is, and so refused
            stray = piece == "}" or (piece == "{" and pattern[at : at + 1] != ",")
            out.append("\\" + piece if stray else piece)
    return "".join(out)


def enforceable(schema: Any) -> Any:
    """`schema` as the validator takes it: itself, or a copy where relaxing a pattern makes a difference."""
    stray = False
    for _, node in subschemas(schema):
        if isinstance(node.get("pattern"), str) and relaxed(node["pattern"]) != node["pattern"]:
            stray = True
        if isinstance(node.get("patternProperties"), dict):
            stray = stray or any(relaxed(key) != key for key in node["patternProperties"])
    return _copy(schema) if stray else schema


def _copy(schema: Any) -> Any:
    known = {id(node) for _, node in subschemas(schema)}

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(inner) for inner in value]
        if not isinstance(value, dict):
            return value
        copy = {key: walk(inner) for key, inner in value.items()}
        if id(value) in known:
            if isinstance(copy.get("pattern"), str):
                copy["pattern"] = relaxed(copy["pattern"])
            if isinstance(copy.get("patternProperties"), dict):
                copy["patternProperties"] = {
                    relaxed(key): inner for key, inner in copy["patternProperties"].items()
                }
        return copy

    return walk(schema)
