"""What is at a position of a text, as a path in its data: of a text, too, that is being typed.

The events of libyaml come one by one, so that what is before a mistake is still understood.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from yaml import YAMLError
from yaml.cyaml import CParser  # type: ignore[attr-defined]
from yaml.error import MarkedYAMLError
from yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from toolgen.schema.document import JsonPath

_MARK: Final = "\ue000cursor\ue001"  # of private use: no text has it
_NO_WORD: Final = " \t\"'{}[],"  # characters that end a word, outside of quotes
_MOST_MISTAKES: Final = 3  # lines above the cursor that are left out because they are not YAML


@dataclass(frozen=True, slots=True)
class Place:
    """A key, or a value that is not a mapping or a list, in a text. Lines and columns count from 0."""

    path: JsonPath  # of the value; of the value of a key
    is_key: bool
    text: str  # the scalar, read
    start: tuple[int, int]
    end: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Typed:
    """The word before a cursor, as a key or as a value."""

    path: JsonPath  # of the value; of the mapping of a key
    is_key: bool
    word: str
    keys: frozenset[str]  # before it in its mapping
    quote: str  # that the word is inside of; empty if in none


def place_at(text: str, line: int, column: int) -> Place | None:
    """Return the key or value at a position; None if none is there. The text need not be YAML behind it."""
    for place in places(text):
        if place.start <= (line, column) <= place.end:
            return place
        if place.start > (line, column):
            return None
    return None


def places(text: str) -> Iterator[Place]:
    """Yield every scalar of a text, up to the first mistake in it."""
    for path, is_key, event, _ in _scalars(text):
        start, end = event.start_mark, event.end_mark
        value = event.value if isinstance(event, ScalarEvent) else ""
        yield Place(path, is_key, value, (start.line, start.column), (end.line, end.column))


def typed_at(text: str, line: int, column: int) -> list[Typed]:
    """Return what is typed at a position: a key, a value, or what may still become either.

    What is behind the position does not count.
    """
    lines = text.split("\n")[: line + 1]
    before = lines[-1][:column]
    quote = _open_quote(before)
    word = _word(before, quote or _NO_WORD)
    lines[-1] = before[: len(before) - len(word)]
    start = "\n".join(lines)
    typed: list[Typed] = []
    for is_key, rest in ((True, f"{_MARK}{quote}: "), (False, f"{_MARK}{quote}")):
        for path, was_key, event, keys in _tolerant_scalars(start + rest):
            if isinstance(event, ScalarEvent) and _MARK in event.value:
                # a text of several lines has the mark, too, and is neither
                if was_key == is_key and event.value == _MARK:
                    typed.append(Typed(path[:-1] if is_key else path, is_key, word, keys, quote))
                break
    return typed


def _word(before: str, ends: str) -> str:
    """Return the end of a text, behind the last of the characters `ends`."""
    at = len(before)
    while at and before[at - 1] not in ends:
        at -= 1
    return before[at:]


def _open_quote(before: str) -> str:
    """Return the quote that is open at the end of a line; empty if none is."""
    quote = ""
    for at, character in enumerate(before):
        if quote:
            quote = "" if character == quote and before[at - 1 : at] != "\\" else quote
        elif character in "\"'" and before[:at].rstrip(" ")[-1:] in ("", ":", "-", "[", "{", ","):
            quote = character
    return quote


def _tolerant_scalars(text: str) -> Iterator[tuple[JsonPath, bool, Any, frozenset[str]]]:
    """Yield the scalars of a text; lines that are not YAML, before the last one, are left out."""
    for _ in range(_MOST_MISTAKES):
        try:
            yield from _events(text)
            return
        except MarkedYAMLError as error:
            # a key without a colon is only noticed behind it
            is_key = error.context == "while scanning a simple key"
            mark = error.context_mark if is_key else error.problem_mark
            lines = text.split("\n")
            at = min(mark.line if mark else 0, len(lines) - 2)
            while at > 0 and not lines[at].strip():
                at -= 1
            if at < 0 or not lines[at].strip():
                return
            lines[at] = ""
            text = "\n".join(lines)
        except YAMLError:
            return


def _scalars(text: str) -> Iterator[tuple[JsonPath, bool, Any, frozenset[str]]]:
    try:
        yield from _events(text)
    except YAMLError:
        return


@dataclass(slots=True)
class _Open:
    """A mapping or list that has begun."""

    path: JsonPath
    keys: set[str] | None  # of a mapping; None: a list
    count: int = 0
    pending: JsonPath | None = None  # the path of the value whose key was read


def _events(text: str) -> Iterator[tuple[JsonPath, bool, Any, frozenset[str]]]:
    """Yield each scalar or alias: its path, whether it is a key, and the keys before it in its mapping."""
    parser = CParser(text)
    stack: list[_Open] = []
    while not isinstance(event := parser.get_event(), StreamEndEvent):
        if isinstance(event, MappingEndEvent | SequenceEndEvent):
            stack.pop()
            continue
        if not isinstance(event, MappingStartEvent | SequenceStartEvent | ScalarEvent | AliasEvent):
            continue
        path: JsonPath = ()
        if stack:
            top = stack[-1]
            if top.keys is None:
                path = (*top.path, top.count)
                top.count += 1
            elif top.pending is None:
                name = event.value if isinstance(event, ScalarEvent) else ""
                top.pending = (*top.path, name)
                yield top.pending, True, event, frozenset(top.keys)
                top.keys.add(name)
                if isinstance(event, ScalarEvent | AliasEvent):
                    continue
                path = top.pending  # a mapping as a key: its value follows
            else:
                path, top.pending = top.pending, None
        if isinstance(event, MappingStartEvent | SequenceStartEvent):
            stack.append(_Open(path, set() if isinstance(event, MappingStartEvent) else None))
        else:
            yield path, False, event, frozenset()
