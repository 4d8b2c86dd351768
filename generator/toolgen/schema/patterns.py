"""Translate patterns and references as authors write them to those that the validator accepts.

In ECMA-262, as browsers implement it, a brace that begins no count and a `-` beside `\\w` stand for
themselves, and some escapes are its own. The validator's regex engine refuses them or reads them differently.
Beside lookaround and back-references, it may also read `\\d`, `\\w`, `\\s` and `.` as Unicode has them; their
characters are listed there. Messages about faults show the author's pattern.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from toolgen.schema.document import JsonObject, edited
from toolgen.schema.keywords import REFERENCES

_COUNT = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")
_PAIR = r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE = re.compile(
    rf"{_PAIR}|\\(?:[pP]\{{[^{{}}]*\}}|u\{{[^{{}}]*\}}|k<[^<>]*>|u[0-9a-fA-F]{{4}}|x[0-9a-fA-F]{{2}}|.)",
    re.DOTALL,
)
_CLASS = r"\[(?:\\.|[^\]\\])*+\]?"  # one without an end is read to the end, so that it is read once
_GROUP = re.compile(rf"\\.|{_CLASS}|\((?!\?)|\(\?P?<(?P<name>[^=!>()][^>()]*)>", re.DOTALL)
_BACKTRACKS = re.compile(r"\(\?<?[=!]|\\[1-9k]")
# The characters of classes, and all others, as members of a bracket; `\s`: WhiteSpace and LineTerminator of
# ECMA-262, sections 12.2 and 12.3.
_CLASSES = {
    "\\d": r"0-9",
    "\\D": r"\x00-\x2f\x3a-\u{10FFFF}",
    "\\w": r"0-9A-Z_a-z",
    "\\W": r"\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\u{10FFFF}",
    "\\s": r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff",
    "\\S": (
        r"\x00-\x08\x0e-\x1f!-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff"
        r"\u3001-\ufefe\uff00-\u{10FFFF}"
    ),
}
_ANY = r"[^\n\r\u2028\u2029]"
# In a `repr`: the engine takes `\<` for the start of a word, and ignores an empty reference
_MISREAD = re.compile(r"\\\\[<>1-9]|\(\?<?[=!]|'\$(?:ref|dynamicRef)': ''")

# One class, counted, is the whole pattern: the engine unrolls every count, and a large class with it.
_COUNTED = re.compile(r"\^((?:\[(?:\\.|[^\[\]\\])+\])|\\[pP]\{[^}]*\})\{([0-9]+),([0-9]+)\}\$", re.DOTALL)
_MANY = 50  # repetitions; the engine may unroll fewer


def translate_pattern(pattern: str) -> str:
    """Translate an ECMA-262 pattern to the syntax of the validator's regex engine."""
    if counted := _COUNTED.fullmatch(pattern):
        members, least, most = counted.groups()
        if int(most) > _MANY:
            return translate_syntax(f"^(?=[\\x00-\\u{{10FFFF}}]{{{least},{most}}}$)(?:{members})*$")
    return translate_syntax(pattern)


def translate_syntax(pattern: str) -> str:
    """Translate only what the engine refuses or misreads, not counts that it could not hold."""
    out: list[str] = []
    at = 0
    inside = False  # a [...]
    before = ""  # the previous piece inside of it
    backtracks = _BACKTRACKS.search(pattern) is not None
    while at < len(pattern):
        match = _ESCAPE.match(pattern, at) or (None if inside else _COUNT.match(pattern, at))
        piece = match[0] if match else pattern[at]
        at += len(piece)
        if backtracks and piece in _CLASSES:
            out.append(_CLASSES[piece] if inside else f"[{_CLASSES[piece]}]")
            before = piece
        elif len(piece) > 1 and piece[0] == "\\":
            out.append(_escape(piece, inside, pattern, at))
            before = piece
        elif inside:
            beside = before in _CLASSES or pattern[at : at + 2] in _CLASSES
            inside = piece != "]"
            before = piece
            out.append("\\-" if piece == "-" and beside else piece)
        else:
            inside, before = piece == "[", ""
            # Python reads {,3} as a count and browsers as text: left as it is, and so refused
            stray = piece == "}" or (piece == "{" and pattern[at : at + 1] != ",")
            out.append(_ANY if piece == "." and backtracks else "\\" + piece if stray else piece)
    return "".join(out)


def estimate_compiled_bytes(pattern: str) -> int:
    """Estimate how many bytes the engine compiles `pattern` to: it unrolls every count, also nested ones."""
    stack = [[0, 0]]  # of each open group: all of it but the last atom, the last atom
    for piece in _PIECE.finditer(pattern):
        text = piece[0]
        if text == "(":
            stack.append([0, 0])
        elif text == ")":
            if len(stack) > 1:
                inner = sum(stack.pop())
                stack[-1] = [sum(stack[-1]), inner]
        elif piece["most"]:
            times = max(int(number) for number in piece["most"].split(",") if number)
            stack[-1][1] = min(stack[-1][1] * max(times, 1), _HUGE)
        else:
            cost = 100_000 if "\\p" in text or "\\P" in text else 2_500 if text[0] in ".[" else 400
            stack[-1] = [sum(stack[-1]), cost]
    return sum(map(sum, stack))


_HUGE = 10**15  # more than any limit: products of counts grow no further
_PIECE = re.compile(
    rf"\\(?:[pP]\{{[^{{}}]*\}}|.)|{_CLASS}|\{{(?P<most>[0-9]{{1,9}}(?:,[0-9]{{0,9}})?)\}}|.", re.DOTALL
)


def patterns_of(node: Mapping[str, Any]) -> Iterator[str]:
    """Yield the patterns of one subschema."""
    if isinstance(pattern := node.get("pattern"), str):
        yield pattern
    if isinstance(patterns := node.get("patternProperties"), dict):
        yield from patterns


def _escape(piece: str, inside: bool, pattern: str, at: int) -> str:
    """Translate one escape, which ends at `at` of `pattern`."""
    if piece in ("\\<", "\\>"):
        return piece[1]
    if piece == "\\0" and not pattern[at : at + 1].isdigit():
        return "\\x00"
    if piece == "\\b" and inside:
        return "\\x08"
    if len(piece) == 12:  # the two halves of one character
        character = json.loads(f'"{piece}"')
        return f"\\u{{{ord(character):X}}}"
    if piece.startswith("\\k<"):
        names = [found["name"] for found in _GROUP.finditer(pattern) if found[0][0] == "("]
        return f"(?:\\{names.index(piece[3:-1]) + 1})" if piece[3:-1] in names else piece
    return piece


def is_misread(schema: Any) -> bool:
    """True if the validator would accept `schema` with another meaning."""
    return _MISREAD.search(repr(schema)) is not None


def translate_for_validator(schema: Any) -> Any:
    """Return `schema` with patterns and references as the validator takes them."""
    return edited(schema, lambda _, node: _translated(node, _TRANSLATIONS))


def translate_property_patterns(schema: Any) -> Any:
    """Return `schema` with only its property patterns translated: the validator's paths lead through them."""
    return edited(schema, lambda _, node: _translated(node, {}))


def _encode_reference(ref: str) -> str:
    """Percent-encode what a URI must not contain: spaces, `<`, letters beyond ASCII. "" means "#"."""
    return quote(ref or "#", safe="%/?:@!$&'()*+,;=~#-._")


_TRANSLATIONS: dict[str, Callable[[str], str]] = {
    "pattern": translate_pattern,
    **dict.fromkeys(REFERENCES, _encode_reference),
}


def _translated(node: JsonObject, translations: Mapping[str, Callable[[str], str]]) -> JsonObject:
    copy = dict(node)
    for keyword, translate in translations.items():
        if isinstance(copy.get(keyword), str):
            copy[keyword] = translate(copy[keyword])
    if isinstance(patterns := copy.get("patternProperties"), dict):
        copy["patternProperties"] = {translate_pattern(key): inner for key, inner in patterns.items()}
    return copy
