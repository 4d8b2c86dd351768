"""Format values, JSON paths and suggestions for messages: one line each, without Python names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

SHOWN = 60  # characters of a value
_BLANK = re.compile(  # characters that are printable for Python, but invisible
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]"
)
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")


def quote(text: str, limit: int = SHOWN) -> str:
    """Return `text` as a JSON string on one line, shortened to about `limit` characters."""
    cut = text if len(text) <= limit else text[:limit] + "…"
    return '"' + "".join(_visible(char) for char in cut) + '"'


def show(value: Any) -> str:
    """Describe a JSON value: scalars as JSON, arrays and objects by size."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        return "an empty array" if not value else f"an array of {count(len(value), 'item')}"
    if isinstance(value, dict):
        return "an empty object" if not value else f"an object with {count(len(value), 'property')}"
    if _is_long(value):
        return "a very long number"
    return json.dumps(value)


def show_kind(value: Any) -> str:
    """Like `show`, with the type of strings and numbers: `the string "5"`."""
    if isinstance(value, str):
        return f"the string {quote(value)}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return show(value) if _is_long(value) else f"the number {show(value)}"
    return show(value)


def show_path(path: Iterable[str | int]) -> str:
    """Return a JSON path: `$.items[0].quantity`, `$["a b"]`."""
    parts = ["$"]
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif _IDENTIFIER.fullmatch(step) and len(step) <= SHOWN:
            parts.append(f".{step}")
        else:
            parts.append(f"[{quote(step)}]")
    return "".join(parts)


def printable(text: str, keep: str = "") -> str:
    """Return `text` with every control, bidirectional and invisible character escaped, as in JSON.

    The result is one line that cannot imitate other text. Characters in `keep` are not escaped.
    """
    if text.isprintable() and not _BLANK.search(text):
        return text
    return "".join(char if char in keep else _printed(char) for char in text)


def either(words: Sequence[str]) -> str:
    """Join words as `a`, `a or b`, `a, b or c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 item`, `3 items`, `2 properties`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


def nearest(word: str, words: Iterable[str]) -> str | None:
    """Return the one of `words` that is most similar to `word`; None if none is similar."""
    folded: dict[str, str] = {}
    for candidate in words:
        folded.setdefault(_fold(candidate), candidate)
    close = get_close_matches(_fold(word[:200]), folded, n=1, cutoff=0.7)
    return folded[close[0]] if close else None


def show_literal(value: Any) -> str:
    """Return a value of a schema as JSON; describe it if it is long."""
    text = "".join(map(_printed, json.dumps(value, ensure_ascii=False)))
    return show(value) if isinstance(value, str) or len(text) > 80 else text


def show_options(options: list[Any]) -> str:
    """List the values of an enum: all if there are at most twelve, else the first five."""
    if len(options) == 1:
        return show_literal(options[0])
    if len(options) <= 12:
        return f"one of {', '.join(map(show_literal, options))}"
    return f"one of {len(options)} values ({', '.join(map(show_literal, options[:5]))}, …)"


def did_you_mean(value: Any, options: list[Any]) -> str:
    """Return `; did you mean "low"?`, or an empty string if no option is similar."""
    words = [option for option in options if isinstance(option, str)]
    if isinstance(value, str):
        near = nearest(value, words)
    else:
        near = next((word for word in words if word.lower() == json.dumps(value)), None)
    return f"; did you mean {quote(near)}?" if near is not None else ""


def _is_long(value: Any) -> bool:
    return isinstance(value, int) and value.bit_length() > 200


def _fold(word: str) -> str:
    return word.lower().replace("-", "_").replace(" ", "_")


def _visible(char: str) -> str:
    return json.dumps(char)[1:-1] if char in '"\\' else _printed(char)


def _printed(char: str) -> str:
    return char if char.isprintable() and not _BLANK.match(char) else json.dumps(char)[1:-1]
