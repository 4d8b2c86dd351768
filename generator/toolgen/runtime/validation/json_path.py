"""Find the path of a validation error in the value itself.

In the paths of jsonschema-rs, keys that look like a number are numbers: the keys "0", "00" and "+0" of an
object all become 0, and the key "" is omitted. So the real keys are looked up in the value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from jsonschema_rs import ValidationError

from toolgen.schema.document import JsonPath

_Location: TypeAlias = tuple[JsonPath, Any]  # a path and the part of the value there


def path_of_error(whole: Any, error: ValidationError) -> JsonPath:
    """Return the path of `error` in `whole`; the most likely one if several are possible."""
    return next(iter(possible_paths(whole, error)))


def possible_paths(whole: Any, error: ValidationError) -> list[JsonPath]:
    """Return every possible path of `error` in `whole`, the most likely first."""
    found = _possible_locations(whole, error)
    if len(found) > 1:
        found = [(path, part) for path, part in found if part == error.instance] or found
    return [path for path, _ in found]


def path_of_closed_object(whole: Any, error: ValidationError) -> JsonPath:
    """Return the path of the object that may have no property, of which `error` has one property's value."""
    found = _possible_locations(whole, error)
    objects = [path for path, part in found if isinstance(part, dict) and error.instance in part.values()]
    return objects[0] if objects else found[0][0]


def _possible_locations(whole: Any, error: ValidationError) -> list[_Location]:
    found: list[_Location] = [((), whole)]
    for step in error.instance_path:
        found = [location for each in found for location in _below(each, step)]
    return [location for each in found for location in _unnamed(each)]


def value_at(whole: Any, path: Iterable[str | int]) -> Any:
    """Return the part of a JSON value at a path that `path_of_error` returned."""
    for step in path:
        whole = whole[step]
    return whole


def _below(location: _Location, step: str | int) -> Iterator[_Location]:
    """Yield the properties or the item of `location` that `step` can mean."""
    for path, part in _unnamed(location):
        for real in _steps(part, step):
            yield (*path, real), part[real]


def _unnamed(location: _Location) -> Iterator[_Location]:
    """Yield `location`, and the locations below it that are reached by empty keys only."""
    path, part = location
    yield location
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
    # as Rust parses an index: https://doc.rust-lang.org/std/primitive.usize.html#method.from_str
    digits = key.removeprefix("+")
    return digits.isascii() and digits.isdigit() and (digits.lstrip("0") or "0") == str(number)
