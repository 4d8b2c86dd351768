"""Differences between two JSON values, for people."""

from __future__ import annotations

import dataclasses
import difflib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.schema.document import JsonObject

MAX_LINES: Final = 40
MAX_WIDTH: Final = 200  # characters of a line


def diff_lines(expected: Any, actual: Any) -> tuple[str, ...]:
    """Return the lines of a diff from `expected` (-) to `actual` (+), without those far from a difference."""
    lines = difflib.unified_diff(_lines(expected), _lines(actual), lineterm="", n=1)
    shown = [line if len(line) <= MAX_WIDTH else f"{line[: MAX_WIDTH - 1]}…" for line in lines][2:]
    return (*shown[:MAX_LINES], *(["…"] if len(shown) > MAX_LINES else []))


def sorted_json(value: Any) -> str:
    """Return the text of JSON data, the same for equal data."""
    return json.dumps(value, sort_keys=True)


def _lines(value: Any) -> list[str]:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True, default=repr).splitlines()


_MAX_ALIGNED: Final = 400  # elements of longer lists are compared by their positions


def snapshot_diff(before: Any, after: Any) -> list[JsonObject]:
    """Return the changes from one snapshot to another; empty if there are none."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        # to convert the parts that are the same objects takes longest
        same = [key for key, value in before.items() if key in after and after[key] is value]
        before, after = ({key: each[key] for key in each if key not in same} for each in (before, after))
    return list(_changes(as_json(before), as_json(after), ""))


def as_json(value: Any) -> Any:
    """Return any value as JSON data; objects that are none are written as text."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): as_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(each) for each in value]
    if isinstance(value, set | frozenset):
        return sorted((as_json(each) for each in value), key=sorted_json)
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: as_json(getattr(value, each.name)) for each in dataclasses.fields(value)}
    return repr(value)


def _changes(before: Any, after: Any, at: str) -> Iterator[JsonObject]:
    if sorted_json(before) == sorted_json(after):
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _changes_of_objects(before, after, at)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _changes_of_lists(before, after, at)
    elif isinstance(before, str) and isinstance(after, str) and ("\n" in before or "\n" in after):
        yield {"at": at, "lines": _changed_lines(before, after)}
    else:
        yield {"at": at, "from": before, "to": after}


def _changes_of_objects(before: JsonObject, after: JsonObject, at: str) -> Iterator[JsonObject]:
    for key in sorted({**before, **after}):
        below = f"{at}/{key.replace('~', '~0').replace('/', '~1')}"
        if key not in after:
            yield {"at": below, "removed": before[key]}
        elif key not in before:
            yield {"at": below, "added": after[key]}
        else:
            yield from _changes(before[key], after[key], below)


def _changes_of_lists(before: list[Any], after: list[Any], at: str) -> Iterator[JsonObject]:
    """Yield the changes of two lists; elements that stay are found, wherever they are.

    Elements of rows are compared by their positions, and so are those of very long lists.
    """
    is_row = len(before) == len(after) and not any(isinstance(each, list | dict) for each in after)
    if is_row or max(len(before), len(after)) > _MAX_ALIGNED:
        blocks = [("replace", 0, len(before), 0, len(after))]
    else:
        matcher = difflib.SequenceMatcher(
            a=list(map(sorted_json, before)), b=list(map(sorted_json, after)), autojunk=False
        )
        blocks = [block for block in matcher.get_opcodes() if block[0] != "equal"]
    for _, first, last, new_first, new_last in blocks:
        common = min(last - first, new_last - new_first)
        for shift in range(common):
            yield from _changes(before[first + shift], after[new_first + shift], f"{at}/{new_first + shift}")
        for index in range(first + common, last):
            yield {"at": f"{at}/{index}", "removed": before[index]}
        for index in range(new_first + common, new_last):
            yield {"at": f"{at}/{index}", "added": after[index]}


def _changed_lines(before: str, after: str) -> list[str]:
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=0)
    return [line for line in list(lines)[2:] if not line.startswith("@@")]
