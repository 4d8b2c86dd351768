"""A YAML mapping changed where its data changes: comments, layout and order stay wherever they can."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

import yaml
from yaml.nodes import MappingNode, ScalarNode

from toolgen.yaml12.reader import Builder, DocumentError
from toolgen.yaml12.writer import entry, write

_Edit = tuple[int, int, list[str]]  # from line, to line, the lines in their place


class _UnfitError(Exception):
    """A layout that cannot be changed line by line."""


def patched(text: str, wanted: Mapping[str, Any]) -> str:
    """`text`, changed to hold `wanted` and nothing else; keys of `wanted` in its order.

    Changes only the lines of entries that differ, as deep inside as block mappings go; where that would not
    give `wanted`, whole entries of the top, and as a last resort everything but the comments above them.
    """
    for deepest in (1000, 1):
        try:
            changed = _changed(text, wanted, deepest)
        except (_UnfitError, yaml.YAMLError):
            continue
        if _holds(changed, wanted):
            return changed
    head = takewhile(lambda line: line.startswith("#") or not line.strip(), text.split("\n"))
    return "\n".join([*head, write(wanted)])


def merged_order(old: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """The keys of `wanted`: those in `old` in its order, each other one behind its neighbour in `wanted`."""
    kept = [key for key in old if key in wanted]
    for index, key in enumerate(wanted):
        if key not in kept:
            before = next((other for other in reversed(wanted[:index]) if other in kept), None)
            kept.insert(0 if before is None else kept.index(before) + 1, key)
    return kept


def _holds(text: str, wanted: Mapping[str, Any]) -> bool:
    builder = Builder("", text)
    try:
        data = builder.build()
    except (DocumentError, yaml.YAMLError):
        return False
    return not builder.faults and json.dumps(data) == json.dumps(wanted)


def _changed(text: str, wanted: Mapping[str, Any], deepest: int) -> str:
    builder = Builder("", text)
    try:
        old = builder.build()
    except DocumentError as error:
        raise _UnfitError from error
    root = yaml.compose(text, yaml.CSafeLoader)
    lines = text.split("\n")
    if not isinstance(root, MappingNode) or root.flow_style:
        raise _UnfitError
    edits = list(enumerate(_edits(lines, (root, old), wanted, len(lines), deepest)))
    # from the end to the beginning, so that places stay true; of new lines in one place, the last one first
    for _, (start, end, new) in sorted(edits, key=lambda edit: (*edit[1][:2], edit[0]), reverse=True):
        lines[start:end] = new
    return "\n".join(lines)


def _edits(
    lines: list[str],
    was: tuple[MappingNode, dict[str, Any]],
    wanted: Mapping[str, Any],
    end: int,
    deepest: int,
) -> Iterator[_Edit]:
    """What to change in the block mapping `was`, whose lines end before `end`."""
    node, old = was
    names = list(old)
    if len(names) != len(node.value):
        raise _UnfitError
    column = node.value[0][0].start_mark.column
    starts = [_start(lines, key, column) for key, _ in node.value]
    ends = [_end(lines, start, stop, column) for start, stop in zip(starts, [*starts[1:], end], strict=True)]
    if [key for key in wanted if key in old] != [key for key in names if key in wanted]:
        raise _UnfitError
    at = starts[0]
    for name in wanted:
        if name not in old:
            yield at, at, list(_entry(name, wanted[name], column))
            continue
        index = names.index(name)
        at = ends[index]
        if json.dumps(old[name]) == json.dumps(wanted[name]):
            continue
        yield from _inner(
            lines,
            (node.value[index][1], old[name]),
            (name, wanted[name]),
            (starts[index], at, column),
            deepest,
        )
    for index, name in enumerate(names):
        if name not in wanted:
            yield starts[index], ends[index], []


def _inner(
    lines: list[str], was: tuple[Any, Any], entry_: tuple[str, Any], place: tuple[int, int, int], deepest: int
) -> Iterator[_Edit]:
    """What to change in one entry: lines inside of it where both values are block mappings, or all of it."""
    node, old = was
    name, wanted = entry_
    start, end, column = place
    blocks = isinstance(node, MappingNode) and not node.flow_style and isinstance(wanted, dict)
    if deepest > 1 and blocks and not old.keys().isdisjoint(wanted):
        try:
            yield from list(_edits(lines, (node, old), wanted, end, deepest - 1))
            return
        except _UnfitError:
            pass  # written anew, below
    yield start, end, list(_entry(name, wanted, column))


def _entry(name: str, value: Any, column: int) -> Iterator[str]:
    for text in entry(name, value, column):
        yield from text.split("\n")


def _start(lines: list[str], key: Any, column: int) -> int:
    line: int = key.start_mark.line
    if not isinstance(key, ScalarNode) or key.start_mark.column != column or lines[line][:column].strip():
        raise _UnfitError
    return line


def _end(lines: list[str], start: int, stop: int, column: int) -> int:
    """Behind the last line of an entry: empty lines and comments that stand before the next one are its."""
    while stop > start + 1 and _is_between(lines[stop - 1], column):
        stop -= 1
    return stop


def _is_between(line: str, column: int) -> bool:
    inside = line.lstrip(" ")
    return not inside or (inside.startswith("#") and len(line) - len(inside) <= column)
