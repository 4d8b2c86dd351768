"""Shrink a value for which something fails to a small one for which it still fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from toolgen.schema.document import value_key

S = TypeVar("S", str, list[Any])


# Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 28(2), 2002.
def shrink(
    value: Any,
    fails: Callable[[Any], bool],
    is_valid: Callable[[Any], bool],
    *,
    max_checks: int,
) -> Any:
    """Return the smallest value found for which `fails` is true; `value` itself must fail.

    Only valid values are tried. `fails` is called at most `max_checks` times.
    """
    checks = 0
    seen = {value_key(value)}
    changed = True
    while changed:
        changed = False
        for smaller in _smaller(value):
            key = value_key(smaller)
            if key in seen or not is_valid(smaller):
                continue
            if checks == max_checks:
                return value
            seen.add(key)
            checks += 1
            if fails(smaller):
                value, changed = smaller, True
                break
    return value


def _smaller(value: Any) -> Iterator[Any]:
    """Yield values that are simpler than `value`, the simplest first."""
    match value:
        case dict():
            yield from _smaller_objects(value)
        case list():
            yield from _smaller_arrays(value)
        case str():
            yield from _smaller_texts(value)
        # Before numbers, because a bool is an int.
        case bool():
            if value:
                yield False
        case int() | float():
            yield from _smaller_numbers(value)


def _without_parts(value: S) -> Iterator[S]:
    """Yield `value` without some of its items, many at first, then fewer: delta debugging."""
    size = len(value)
    while size:
        for start in range(0, len(value), size):
            yield value[:start] + value[start + size :]
        size //= 2


def _smaller_objects(value: dict[str, Any]) -> Iterator[Any]:
    for names in _without_parts(list(value)):
        yield {name: value[name] for name in names}
    for name, inner in value.items():
        for smaller in _smaller(inner):
            yield {**value, name: smaller}


def _smaller_arrays(value: list[Any]) -> Iterator[Any]:
    yield from _without_parts(value)
    for index, inner in enumerate(value):
        for smaller in _smaller(inner):
            yield [*value[:index], smaller, *value[index + 1 :]]


def _smaller_texts(value: str) -> Iterator[str]:
    yield from _without_parts(value)
    plain = "".join(char if char.isascii() else "a" for char in value)
    for simpler in (plain, "a" * len(value)):
        if simpler != value and value.strip("a"):
            yield simpler


def _smaller_numbers(value: int | float) -> Iterator[int | float]:
    whole = int(value)
    for smaller in (0, 1, -1, whole, -value, whole // 2, whole - 1 if whole > 0 else whole + 1):
        if _size(smaller) < _size(value):
            yield smaller


def _size(number: int | float) -> tuple[float, bool, bool]:
    return (abs(number), number < 0, isinstance(number, float))
