"""Random words of a regular expression."""

from __future__ import annotations

import math
import re
import warnings
from typing import Any, Final

from toolgen.schema.instances.choices import Dice

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from re import _constants as c  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]

_MEMBERS: Final = "aZ0 _-.é😀/~"
_PROPERTY: Final = re.compile(r"\\[pP]\{[^}]*\}")
_MAX_REPEATS: Final = 1_000


def word(pattern: str, dice: Dice, least: int = 0, most: float = math.inf) -> str:
    """Return a string that should match `pattern`; any string if that is hard to tell.

    Its length is from `least` to `most` characters where the pattern's counts leave a choice.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parts = parser.parse(_as_python(pattern))
        made = ""
        for _ in range(6):
            made = "".join(_one(part, dice, least) for part in parts)
            if least <= len(made) <= most:
                return made
    except (re.error, OverflowError, RecursionError, ValueError):
        return "".join(dice.one_of(_MEMBERS) for _ in range(dice.between(0, 8)))
    return made


def like_any(pattern: str) -> str:
    """Return one string that should match `pattern`, always the same."""
    return word(pattern, Dice(pattern))


def _as_python(pattern: str) -> str:
    named = pattern.replace("(?<", "(?P<").replace("(?P<=", "(?<=").replace("(?P<!", "(?<!")
    named = re.sub(r"\\u\{([0-9a-fA-F]+)\}", lambda found: re.escape(chr(int(found[1], 16))), named)
    named = re.sub(r"\\c([a-zA-Z])", lambda found: f"\\x{ord(found[1]) % 32:02x}", named)
    return _PROPERTY.sub(lambda found: "a-zA-Z" if _is_inside(named, found.start()) else "[a-zA-Z]", named)


def _is_inside(pattern: str, at: int) -> bool:
    """True if `at` is inside a [...]."""
    return pattern.rfind("[", 0, at) > pattern.rfind("]", 0, at)


def _one(part: tuple[Any, Any], dice: Dice, least: int) -> str:
    kind, of = part
    if kind is c.LITERAL:
        return chr(of)
    if kind is c.NOT_LITERAL:
        return "b" if of == ord("a") else "a"
    if kind is c.ANY:
        return dice.one_of("aZ0 é")
    if kind is c.IN:
        return _member(of, dice)
    if kind is c.BRANCH:
        return "".join(_one(each, dice, least) for each in dice.one_of(of[1]))
    if kind is c.SUBPATTERN:
        return "".join(_one(each, dice, least) for each in of[-1])
    if kind in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
        fewest, most, inner = of
        top = min(int(most), max(fewest, least) + 3, _MAX_REPEATS + fewest)
        times = dice.one_of((fewest, dice.between(fewest, top), top))
        return "".join(_one(each, dice, 0) for _ in range(times) for each in inner)
    return ""  # anchors and look-arounds


def _member(options: list[tuple[Any, Any]], dice: Dice) -> str:
    if options[0][0] is c.NEGATE:
        taken = options[1:]
        free = [char for char in _MEMBERS if not any(_has(each, char) for each in taken)]
        return dice.one_of(free) if free else "\u2603"
    kind, of = dice.one_of(options)
    if kind is c.RANGE:
        return chr(dice.one_of((of[0], of[1], dice.between(of[0], min(of[1], of[0] + 25)))))
    if kind is c.CATEGORY:
        return dice.one_of(_CATEGORIES.get(str(of), "~-"))
    return chr(of)


_CATEGORIES: Final = {"CATEGORY_DIGIT": "0189", "CATEGORY_SPACE": " \t", "CATEGORY_WORD": "aZ_0"}


def _has(option: tuple[Any, Any], char: str) -> bool:
    kind, of = option
    if kind is c.LITERAL:
        return bool(ord(char) == of)
    if kind is c.RANGE:
        return bool(of[0] <= ord(char) <= of[1])
    return {"CATEGORY_DIGIT": char.isdigit(), "CATEGORY_SPACE": char.isspace()}.get(
        str(of), char.isalnum() or char == "_"
    )
