"""What an alias stands for, within bounds: a few lines of aliases can stand for billions of values."""

from __future__ import annotations

from typing import Any


class TooManyError(Exception):
    """More values than are allowed."""


class TooDeepError(Exception):
    """More mappings and lists inside one another than are allowed."""


def copied(value: Any, budget: int, room: int) -> tuple[Any, int]:
    """A copy of `value`, and how many values it holds; text counts once more for every 64 characters.

    Raises `TooManyError` beyond `budget` values, `TooDeepError` beyond `room` levels.
    """
    size = 1 + len(value) // 64 if isinstance(value, str) else 1
    if size > budget:
        raise TooManyError
    if not isinstance(value, dict | list):
        return value, size
    if not room:
        raise TooDeepError
    copy: Any = {} if isinstance(value, dict) else [None] * len(value)
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        copy[key], more = copied(inner, budget - size, room - 1)
        size += more
    return copy, size
