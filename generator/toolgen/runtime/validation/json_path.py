"""The place of a fault in a value, as the value has it.

The validator tells a path with every step that reads as a number as a number: an object's key "0" comes as 0,
and so do "00" and "+0". The key "" it leaves out. The value knows better.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from jsonschema_rs import ValidationError

from toolgen.schema.document import JsonPath

_Place: TypeAlias = tuple[JsonPath, Any]  # and the part of the value that is there


def where(whole: Any, error: ValidationError) -> JsonPath:
    """The path in `whole` that the validator's `error` is about; the likeliest, where two keys are one."""
    return next(iter(places(whole, error)))


def places(whole: Any, error: ValidationError) -> list[JsonPath]:
    """Every path in `whole` that the validator's `error` can be about, the likeliest first."""
    found: list[_Place] = [((), whole)]
    for step in error.instance_path:
        found = [place for each in found for place in _below(each, step)]
    found = [place for each in found for place in _unnamed(each)]
    if len(found) > 1:
        found = [(path, part) for path, part in found if part == error.instance] or found
    return [path for path, _ in found]


def part_of(whole: Any, path: Iterable[str | int]) -> Any:
    """The part of a JSON value at a path that `where` gave."""
    for step in path:
        whole = whole[step]
    return whole


def _below(place: _Place, step: str | int) -> Iterator[_Place]:
    """The properties or the item of `place` that `step` can mean."""
    for path, part in _unnamed(place):
        for real in _steps(part, step):
            yield (*path, real), part[real]


def _unnamed(place: _Place) -> Iterator[_Place]:
    """`place`, and what is in it below nothing but empty keys."""
    path, part = place
    yield place
    while isinstance(part, dict) and "" in part:
        path, part = (*path, ""), part[""]
        yield path, part


def _steps(part: Any, step: str | int) -> list[str | int]:
    if isinstance(part, list):
        return [step] if isinstance(step, int) and step < len(part) else []
    if not isinstance(part, dict):
        return []
    if isinstance(step, str):
        return [step] if step in part else []
    exact = str(step)
    return sorted((key for key in part if _reads_as(key, step)), key=lambda key: key != exact)


def _reads_as(key: str, number: int) -> bool:
    digits = key.removeprefix("+")
    return digits.isascii() and digits.isdigit() and (digits.lstrip("0") or "0") == str(number)
