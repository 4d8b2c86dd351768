"""Parse patterns: ECMA-262 as the validator's regex engine reads it."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from toolgen.proof.containment.regular.character_sets import (
    CharacterSet,
    of_engine,
    of_ranges,
    of_text,
)
from toolgen.schema.patterns import translate_syntax

_MOST_COUNTED = 100_000  # repetitions in a pattern; more are not analysed
_MOST_ASKED = 20  # sets that only the engine knows: each takes some hundredths of a second
_DEEPEST = 60  # groups within groups
_LONGEST = 10_000  # characters of a pattern


class NotRegularError(ValueError):
    """A pattern that is not read here: a back-reference, or syntax that only the engine knows."""


@dataclass(frozen=True, slots=True)
class Characters:
    """One character of a set."""

    members: CharacterSet


@dataclass(frozen=True, slots=True)
class Sequence:
    """One part after the other."""

    parts: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several."""

    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part several times; `most` None: any number of times."""

    part: Node
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place of the text: its start, its end, a place between a word and what is not, or any other."""

    kind: Literal["start", "end", "boundary", "no_boundary"]


@dataclass(frozen=True, slots=True)
class Look:
    """Lookaround: a part that must follow or precede, or must not."""

    part: Node
    ahead: bool
    negative: bool


Node = Characters | Sequence | Choice | Repeat | Anchor | Look


# WhiteSpace and LineTerminator of ECMA-262, sections 12.2 and 12.3.
_SPACES: Final = of_text(
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_DIGITS: Final = of_text(string.digits)
_WORD: Final = of_text(string.digits + string.ascii_letters + "_")
_CLASSES: Final = {"d": _DIGITS, "w": _WORD, "s": _SPACES, "D": ~_DIGITS, "W": ~_WORD, "S": ~_SPACES}
_ANY: Final = ~of_text("\n\r\u2028\u2029")  # `.`

_CONTROLS: Final = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v"}
_CODE = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}")
_PROPERTY = re.compile(r"[pP](?:\{[^{}]*\}|[A-Z])")
_COUNT = re.compile(r"\{([0-9]{1,6})(,([0-9]{0,6}))?\}")
_BRACKET = re.compile(r"\[(?:\\.|[^\\\]])*+(?P<end>\])?", re.DOTALL)
_UNUSUAL_BRACKET = re.compile(r"\[|&&|--|~~")
_LOOKS: Final = {"=": (True, False), "!": (True, True), "<=": (False, False), "<!": (False, True)}
"""Whether lookaround looks ahead, and whether it is negative."""
_GROUP = re.compile(r"\(\?(?P<kind>:|=|!|<=|<!|P?<[A-Za-z_][A-Za-z0-9_]*>)")


@lru_cache
def parse_pattern(pattern: str) -> Node:
    """Parse a pattern of an author. Raises `NotRegularError` for one that is not read."""
    if len(pattern) > _LONGEST:
        raise NotRegularError("a pattern that is too long")
    return _Parser(translate_syntax(pattern)).parse()


class _Parser:
    """A pattern, and how far it has been read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._asked: set[str] = set()

    def parse(self) -> Node:
        node = self._choice()
        if self._at < len(self._text):
            raise NotRegularError("a closing bracket without an opening one")
        return node

    def _choice(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotRegularError("groups that are nested too deeply")
        branches = [self._sequence()]
        while self._take("|"):
            branches.append(self._sequence())
        self._depth -= 1
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            parts.append(self._repeated(self._atom()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _take(self, text: str) -> bool:
        if not self._text.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _repeated(self, node: Node) -> Node:
        start = self._at
        least, most = self._count()
        if start == self._at:
            return node
        self._take("?")  # a lazy count accepts the same texts
        if self._at < len(self._text) and (
            self._text[self._at] in "*+?" or _COUNT.match(self._text, self._at)
        ):
            raise NotRegularError("a count of a count")
        if isinstance(node, Anchor | Look):
            raise NotRegularError("a count of a position")
        if most is not None and (most < least or most > _MOST_COUNTED):
            raise NotRegularError("a count that is too large")
        return Repeat(node, least, most)

    def _count(self) -> tuple[int, int | None]:
        for sign, counts in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._take(sign):
                return counts
        if match := _COUNT.match(self._text, self._at):
            self._at = match.end()
            least = int(match[1])
            if match[2] is None:
                return least, least
            return least, int(match[3]) if match[3] else None
        return 1, 1

    def _atom(self) -> Node:
        character = self._text[self._at]
        if character == "(":
            return self._group()
        if character == "[":
            return Characters(self._bracket())
        if character == "\\":
            return self._escape()
        self._at += 1
        if character == "^":
            return Anchor("start")
        if character == "$":
            return Anchor("end")
        if character == ".":
            return Characters(_ANY)
        if character in "*+?{":
            raise NotRegularError("a count of nothing")
        return Characters(of_text(character))

    def _group(self) -> Node:
        look: tuple[bool, bool] | None = None
        if match := _GROUP.match(self._text, self._at):
            self._at = match.end()
            look = _LOOKS.get(match["kind"])
        elif self._text.startswith("(?", self._at):
            raise NotRegularError("flags within a pattern")
        else:
            self._at += 1
        inner = self._choice()
        if not self._take(")"):
            raise NotRegularError("a group without an end")
        return inner if look is None else Look(inner, ahead=look[0], negative=look[1])

    def _escape(self) -> Node:
        letter = self._text[self._at + 1 : self._at + 2]
        if letter in ("b", "B"):
            self._at += 2
            return Anchor("boundary" if letter == "b" else "no_boundary")
        return Characters(self._escaped_set())

    def _escaped_set(self) -> CharacterSet:
        """Read an escape that stands for characters, within brackets or without."""
        start = self._at
        self._at += 2
        letter = self._text[start + 1 : start + 2]
        if letter in _CLASSES and letter:
            return _CLASSES[letter]
        if match := _PROPERTY.match(self._text, start + 1):
            self._at = match.end()
            return self._ask(self._text[start : self._at])
        if match := _CODE.match(self._text, start + 1):
            self._at = match.end()
            return of_text(chr(int(match[1] or match[2] or match[3], 16)))
        if letter in _CONTROLS and letter:
            return of_text(_CONTROLS[letter])
        if letter == "c" and re.fullmatch("[A-Za-z]", self._text[self._at : self._at + 1]):
            self._at += 1
            return of_text(chr(ord(self._text[self._at - 1]) % 32))
        if letter and letter.isascii() and not letter.isalnum() and letter not in "<>":
            return of_text(letter)
        raise NotRegularError(
            "a back-reference" if letter.isdigit() or letter == "k" else "an unusual escape"
        )

    def _bracket(self) -> CharacterSet:
        match = _BRACKET.match(self._text, self._at)
        if match is None or match["end"] is None or match[0] in ("[]", "[^]"):
            raise NotRegularError("an unusual set of characters")
        if _UNUSUAL_BRACKET.search(match[0], 1):
            self._at = match.end()
            return self._ask(match[0])
        self._at += 1
        negative = self._take("^")
        found = CharacterSet()
        while not self._take("]"):
            found |= self._member()
        return ~found if negative else found

    def _member(self) -> CharacterSet:
        """Read one member of a bracket, or a range of them."""
        first = self._single()
        beyond = self._text[self._at + 1 : self._at + 2]
        if not self._text.startswith("-", self._at) or beyond in ("]", ""):
            return first
        self._at += 1
        last = self._single()
        if len(first) != 1 or len(last) != 1 or first.at(0) > last.at(0):
            raise NotRegularError("an unusual range of characters")
        return of_ranges([(first.at(0), last.at(0))])

    def _single(self) -> CharacterSet:
        if self._text[self._at] != "\\":
            self._at += 1
            return of_text(self._text[self._at - 1])
        if self._text.startswith("\\b", self._at):
            self._at += 2
            return of_text("\b")
        return self._escaped_set()

    def _ask(self, text: str) -> CharacterSet:
        self._asked.add(text)
        if len(self._asked) > _MOST_ASKED:
            raise NotRegularError("a pattern with very many sets of characters")
        try:
            return of_engine(text)
        except ValueError:
            raise NotRegularError("an unusual set of characters") from None


def word_characters() -> CharacterSet:
    """Return the characters of words for `\\b`, which the engine takes from Unicode in every pattern."""
    return of_engine("(?u:\\w)")
