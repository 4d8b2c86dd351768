"""The place of a fault in a value, as the value has it.

The validator tells a path with every step that reads as a number as a number: an object's key "0" comes as 0,
and so do "00" and "+0". The value knows better.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str | int, ...]


def where(whole: Any, path: Iterable[str | int]) -> Path:
    """The path that the validator's `path` stands for in `whole`; the likeliest, where two keys are one."""
    return next(iter(places(whole, path)))


def places(whole: Any, path: Iterable[str | int]) -> list[Path]:
    """Every path in `whole` that the validator's `path` can stand for, the likeliest first."""
    found: list[tuple[Path, Any]] = [((), whole)]
    for step in path:
        found = [((*steps, real), part[real]) for steps, part in found for real in _steps(part, step)]
    return [steps for steps, _ in found]


def part_of(whole: Any, path: Iterable[str | int]) -> Any:
    """The part of a JSON value at a path that `where` gave."""
    for step in path:
        whole = whole[step]
    return whole


def _steps(part: Any, step: str | int) -> list[str | int]:
    if isinstance(step, str) or not isinstance(part, dict):
        return [step]
    exact = str(step)
    return sorted((key for key in part if _reads_as(key, step)), key=lambda key: key != exact)


def _reads_as(key: str, number: int) -> bool:
    digits = key.removeprefix("+")
    return digits.isascii() and digits.isdigit() and (digits.lstrip("0") or "0") == str(number)
