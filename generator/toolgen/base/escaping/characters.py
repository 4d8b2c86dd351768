"""Which characters are escaped wherever text is shown: those that control, hide, reorder or overdraw text.

One rule for all places, by properties of Unicode. Escaped are

- what `str.isprintable` refuses: control characters (C0, DEL, C1), format characters (bidirectional controls,
  zero-width characters, tags), line and paragraph separators, blanks other than the space, lone surrogates,
  private use and unassigned code points;
- what is printable, but seen as nothing (Default_Ignorable_Code_Point, blank symbols) or drawn over other
  characters (combining class 1, enclosing marks);
- the fifth and every further mark on one character, and a mark without a character before it.

Kept are, because languages and emoji need them, a zero-width joiner or non-joiner in the contexts of UAX #31
(after a virama, between Arabic letters), and a joiner or one variation selector that belongs to an emoji.

Sources: UTS #39 (Unicode Security Mechanisms), sections 3.1.1 and 5.4; CVE-2021-42574 (Trojan Source).
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Final
from unicodedata import bidirectional, category, combining

MAX_MARKS: Final = 4  # on one character; UTS #39, section 5.4
INVISIBLE: Final = (  # printable for Python: Default_Ignorable_Code_Point, and blank symbols
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d159\U000e0100-\U000e01ef"
)
OVERLAYS: Final = (  # combining class 1, and the category Me
    "\u0334-\u0338\u0488\u0489\u1abe\u1cd4\u1ce2-\u1ce8\u20d2\u20d3\u20d8-\u20da\u20dd-\u20e0\u20e2-\u20e6\u20ea\u20eb"
    "\ua670-\ua672\U00010a39\U00016af0-\U00016af4\U0001bc9e\U0001d167-\U0001d169"
)
_EMOJI: Final = (  # blocks that hold the characters with the property Emoji
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_JOINER, _NON_JOINER, _SELECTORS = "\u200d", "\u200c", "\ufe0e\ufe0f"
# no letter, and not in a block without marks; a class of all marks would have 350 ranges
_MAY_BE_MARK: Final = r"[^\w\x00-\xff\u2000-\u206f\ud800-\uf8ff\U000e0000-\U0010ffff]"
_MANY_MARKS: Final = f"{_MAY_BE_MARK}{{{MAX_MARKS + 1}}}"
_ALWAYS_ESCAPED: Final = f"[{INVISIBLE}{OVERLAYS}]"
# printable characters to escape, and runs that may be of too many marks
_SUSPECTS: Final = rf"{_ALWAYS_ESCAPED}|{_MANY_MARKS}|\A{_MAY_BE_MARK}"
# what depends on the characters before it: joiners, selectors, marks
_NEEDS_CONTEXT: Final = rf"[{_JOINER}{_NON_JOINER}{_SELECTORS}]|\A{_MAY_BE_MARK}|{_MANY_MARKS}"
_VIRAMA: Final = 9  # combining class
_CACHED_BELOW: Final = 0x10000  # code points whose escapes are remembered, so that no text fills the memory


def printable(text: str, keep: str = "") -> str:
    """Return `text` with every control, bidirectional, invisible and overlaid character escaped, as in JSON.

    The result is one line that cannot imitate other text. Characters in `keep` are not escaped.
    Escaping the result again does not change it.
    """
    if text.isprintable() and (text.isascii() or not _pattern(_SUSPECTS).search(text)):
        return text
    return _pattern(rf"[^ -~{re.escape(keep)}]+").sub(_escape_run, text)


def notation(char: str) -> str:
    """Return the escape of a character, as JSON writes it: `\\u001b`."""
    escaped = json.dumps(char)[1:-1]
    return escaped if len(escaped) > 1 else f"\\u{ord(char):04x}"  # JSON leaves DEL as it is


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    """Return a compiled pattern; `toolgen --help` compiles none."""
    return re.compile(pattern)


def _escape_run(match: re.Match[str]) -> str:
    """Return characters that are not of ASCII, or control characters, escaped as far as they must be."""
    run = match[0]
    if run.isascii() or not _pattern(_NEEDS_CONTEXT).search(run):
        return run.translate(_ESCAPES)
    marks = 0 if match.start() and match.string[match.start() - 1].isprintable() else MAX_MARKS
    shown = []
    for at, char in enumerate(run):
        marks = marks + 1 if category(char) in ("Mn", "Me") else 0
        is_safe = marks <= MAX_MARKS and _ESCAPES[ord(char)] == char
        shown.append(char if is_safe or _is_part(run, at) else notation(char))
    return "".join(shown)


def _is_part(text: str, at: int) -> bool:
    """True if a joiner or a variation selector belongs to the characters around it."""
    char, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if not before:
        return False
    if char in _SELECTORS:
        return _is_emoji(before)
    if char == _JOINER and after and _is_emoji(after):
        return _is_emoji(before) or (before == "\ufe0f" and at > 1 and _is_emoji(text[at - 2]))
    if char not in (_JOINER, _NON_JOINER) or not after.isalpha():
        return False
    letters = before + after
    return combining(before) == _VIRAMA or (
        char == _NON_JOINER and set(map(bidirectional, letters)) == {"AL"}
    )


def _is_emoji(char: str) -> bool:
    return _pattern(_EMOJI).match(char) is not None and char.isprintable()


class _Escapes(dict[int, str]):
    """Escapes by code point, for `str.translate`, which is several times faster than a loop."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        escaped = char if char.isprintable() and not _pattern(_ALWAYS_ESCAPED).match(char) else notation(char)
        if code < _CACHED_BELOW:
            self[code] = escaped
        return escaped


_ESCAPES: Final = _Escapes()
