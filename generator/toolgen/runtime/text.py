"""Format values, JSON paths and suggestions for messages: one line each, without Python names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from toolgen.base import suggestions
from toolgen.base.escaping.characters import printable as printable  # public: `toolgen.runtime.printable`
from toolgen.base.escaping.places import quoted_text

SHOWN = 60  # characters of a value
_SEARCHES = 3  # for a word, in one response: each compares up to 200 others, in 30 ms
_SOUGHT = 64  # characters of a word; names of arguments are shorter
_CUTOFF = 0.7  # of `difflib`: callers get few and good suggestions
_searches_left: ContextVar[list[int] | None] = ContextVar("searches", default=None)
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")


def quote(text: str, limit: int = SHOWN) -> str:
    """Return `text` as a JSON string on one line, shortened to about `limit` characters."""
    return quoted_text(text, limit)


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


def well_formed(text: str) -> str:
    """Return `text` with lone surrogates escaped: `\\udce9`. They are not valid Unicode and cannot be sent.

    Python makes them of bytes that are not UTF-8, in names of files for example.
    """
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def well_formed_value(value: Any) -> Any:
    """Return a JSON value with every text in it `well_formed`."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        return [well_formed_value(each) for each in value]
    if isinstance(value, dict):
        return {well_formed_value(key): well_formed_value(each) for key, each in value.items()}
    return value


def either(words: Sequence[str]) -> str:
    """Join words as `a`, `a or b`, `a, b or c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 item`, `3 items`, `2 properties`."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun.endswith("y") else f"{number} {noun}s"


@contextmanager
def limited_suggestions() -> Iterator[None]:
    """Within the context, `nearest` looks for the first few words only."""
    token = _searches_left.set([_SEARCHES])
    try:
        yield
    finally:
        _searches_left.reset(token)


def nearest(word: str, words: Iterable[str]) -> str | None:
    """Return the one of the first 200 `words` that is most similar to `word`; None if none is similar."""
    left = _searches_left.get()
    if left is not None:
        if not left[0]:
            return None
        left[0] -= 1
    return suggestions.nearest(word[:_SOUGHT], words, _CUTOFF)


def show_literal(value: Any) -> str:
    """Return a value of a schema as JSON; describe it if it is long."""
    text = printable(json.dumps(value, ensure_ascii=False))
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
