"""Check that a Python value is JSON, and find parts of it.

JSON is exactly dict, list, str, int, float, bool and None; finite, valid Unicode and not nested too deeply.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING, Any

from toolgen.schema.document import MAX_VALUE_DEPTH, JsonPath

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError


def is_json(value: Any, depth: int = MAX_VALUE_DEPTH) -> bool:
    """True if `value` can be written as JSON and read back unchanged. Every call does it twice."""
    kind = type(value)
    if kind is dict:
        for key in value:
            if type(key) is not str or not (key.isascii() or _is_unicode(key)):
                return False
        items = value.values()
    elif kind is list:
        items = value
    else:
        return _is_scalar(value, kind)
    if depth == 0:
        return False
    for item in items:
        kind = type(item)
        if kind is str:
            if not (item.isascii() or _is_unicode(item)):
                return False
        elif kind is int or kind is bool or item is None:
            continue
        elif kind is float:
            if item - item != 0.0:  # inf and nan
                return False
        elif not is_json(item, depth - 1):
            return False
    return True


def find_non_json(
    value: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield each path where `value` is not JSON, with a description of what is there."""
    if len(path) > MAX_VALUE_DEPTH:
        yield path, f"more than {MAX_VALUE_DEPTH} levels of nesting"
    elif type(value) is dict:
        for key, item in value.items():
            if type(key) is not str:
                yield path, "an object with a key that is not text"
            elif not _is_unicode(key):
                yield path, "an object with a key that is not valid Unicode"
            else:
                yield from find_non_json(item, (*path, key))
    elif type(value) is list:
        for index, item in enumerate(value):
            yield from find_non_json(item, (*path, index))
    elif not _is_scalar(value, type(value)):
        yield path, _describe(value)


def whole_numbers(value: Any) -> Any:
    """Return `value` with 1.0 replaced by 1: JSON has one kind of number, Python two."""
    if type(value) is float and value.is_integer():
        return int(value)
    if type(value) is list:
        return [whole_numbers(item) for item in value]
    if type(value) is dict:
        return {key: whole_numbers(item) for key, item in value.items()}
    return value


def path_of_error(whole: Any, error: ValidationError) -> JsonPath:
    """Return the path of `error` in `whole`, or of the nearest object around it.

    In the paths of jsonschema-rs, keys that look like numbers are numbers, and the key "" is left out: "007"
    and "" cannot be found again.
    """
    path: list[str | int] = []
    for step in error.instance_path:
        key = str(step) if isinstance(whole, dict) else step
        try:
            whole = whole[key]
        except (KeyError, IndexError, TypeError):
            break
        path.append(key)
    return tuple(path)


def _is_scalar(value: Any, kind: type) -> bool:
    if kind is str:
        return _is_unicode(value)
    if kind is float:
        return isfinite(value)
    return kind is int or kind is bool or value is None


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which json.loads accepts
        return False
    return True


def _describe(value: Any) -> str:
    if isinstance(value, float):
        return "a number that JSON cannot write (not a number, or infinite)"
    if isinstance(value, str):
        return "text that is not valid Unicode"
    return "binary data" if isinstance(value, bytes) else "a value that JSON cannot carry"
