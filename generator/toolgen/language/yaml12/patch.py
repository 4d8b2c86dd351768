"""Change a YAML mapping where its data changes: comments, layout and key order are kept wherever possible.

By hand, and not by a round trip through ruamel.yaml, which lays out the whole document anew. Measured with
ruamel.yaml 0.19 on 188 mappings (the YAML test suite, known footguns, the gallery, OpenAPI documents), to
each of which one key was added. Even with the best of five indentations for each document, ruamel changed
other lines or failed in 102 of them, 6 of the 25 specs of the gallery included; it took 13 times as long.
`patch_yaml` changed other lines of 26, none of them in the gallery, and kept all data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import yaml
from yaml.nodes import MappingNode, ScalarNode, SequenceNode

from toolgen.language.yaml12.reader import DocumentError, YamlReader
from toolgen.language.yaml12.writer import block, entry, write


@dataclass(frozen=True, slots=True)
class _LineEdit:
    """Lines to put in the place of others."""

    start: int
    end: int  # the first line that stays
    lines: list[str]


@dataclass(frozen=True, slots=True)
class _MappingBlock:
    """A block mapping in the text, and its data."""

    node: MappingNode
    data: dict[str, Any]
    end: int  # the line behind its last one


@dataclass(frozen=True, slots=True)
class _MappingEntry:
    """One entry of a block mapping."""

    name: str
    value: Any
    node: Any  # of the value
    start: int
    end: int
    column: int


class _NotPatchableError(Exception):
    """A layout that cannot be changed line by line."""


def patch_yaml(text: str, wanted: Mapping[str, Any]) -> str:
    """Return `text`, changed to hold exactly `wanted`, its keys in that order.

    Only lines of what differs change, as deep inside as there are block mappings and lists. If that does not
    yield `wanted`, whole top-level entries are rewritten, and as a last resort all but the leading comments.
    """
    for depth in (1000, 1):
        try:
            changed = _patch(text, wanted, depth)
        except (_NotPatchableError, yaml.YAMLError):
            continue
        if _holds(changed, wanted):
            return changed
    head = takewhile(lambda line: line.startswith("#") or not line.strip(), text.split("\n"))
    return "\n".join([*head, write(wanted)])


def merge_key_order(old: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Return the keys of `wanted` in the order of `old`, each new one after its neighbour in `wanted`."""
    merged = [key for key in old if key in wanted]
    for index, key in enumerate(wanted):
        if key not in merged:
            before = next((other for other in reversed(wanted[:index]) if other in merged), None)
            merged.insert(0 if before is None else merged.index(before) + 1, key)
    return merged


def _holds(text: str, wanted: Mapping[str, Any]) -> bool:
    reader = YamlReader("", text)
    try:
        data = reader.read()
    except (DocumentError, yaml.YAMLError):
        return False
    return not reader.faults and json.dumps(data) == json.dumps(wanted)


def _patch(text: str, wanted: Mapping[str, Any], depth: int) -> str:
    try:
        data = YamlReader("", text).read()
    except DocumentError as error:
        raise _NotPatchableError from error
    root = yaml.compose(text, yaml.CSafeLoader)
    lines = text.split("\n")
    if not isinstance(root, MappingNode) or root.flow_style:
        raise _NotPatchableError
    edits = list(enumerate(_edits(lines, _MappingBlock(root, data, len(lines)), wanted, depth)))
    # backwards, so that line numbers stay true; of several insertions at one line, the last one first
    for _, edit in sorted(edits, key=lambda each: (each[1].start, each[1].end, each[0]), reverse=True):
        lines[edit.start : edit.end] = edit.lines
    return "\n".join(lines)


def _edits(
    lines: list[str], block: _MappingBlock, wanted: Mapping[str, Any], depth: int
) -> Iterator[_LineEdit]:
    """Yield the edits that change `block` to `wanted`, in up to `depth` levels of mappings."""
    entries = _entries(lines, block)
    # Entries are never moved: a comment between two of them may be about either.
    if [key for key in wanted if key in entries] != [key for key in entries if key in wanted]:
        raise _NotPatchableError
    first = next(iter(entries.values()))
    at = first.start
    for name in wanted:
        if name not in entries:
            yield _LineEdit(at, at, _written(name, wanted[name], first.column))
            continue
        old = entries[name]
        at = old.end
        if json.dumps(old.value) != json.dumps(wanted[name]):
            yield from _entry_edits(lines, old, wanted[name], depth)
    for name, old in entries.items():
        if name not in wanted:
            yield _LineEdit(old.start, old.end, [])


def _entries(lines: list[str], block: _MappingBlock) -> dict[str, _MappingEntry]:
    if not block.data or len(block.data) != len(block.node.value):
        raise _NotPatchableError
    column = block.node.value[0][0].start_mark.column
    starts = [_start(lines, key, column) for key, _ in block.node.value]
    stops = [*starts[1:], block.end]
    return {
        name: _MappingEntry(name, value, node, start, _end(lines, start, stop, column), column)
        for (name, value), (_, node), start, stop in zip(
            block.data.items(), block.node.value, starts, stops, strict=True
        )
    }


def _entry_edits(lines: list[str], old: _MappingEntry, wanted: Any, depth: int) -> Iterator[_LineEdit]:
    """Yield edits inside of the entry if both values are block mappings, else one edit of all of it."""
    is_block = isinstance(old.node, MappingNode) and not old.node.flow_style
    if depth > 1 and is_block and isinstance(wanted, dict) and not old.value.keys().isdisjoint(wanted):
        try:
            yield from list(_edits(lines, _MappingBlock(old.node, old.value, old.end), wanted, depth - 1))
            return
        except _NotPatchableError:
            pass  # rewritten below
    is_list = isinstance(old.node, SequenceNode) and not old.node.flow_style
    if depth > 1 and is_list and isinstance(wanted, list) and len(wanted) >= len(old.value) > 0:
        try:
            yield from list(_item_edits(lines, old, wanted, depth - 1))
            return
        except _NotPatchableError:
            pass  # rewritten below
    yield _LineEdit(old.start, old.end, _written(old.name, wanted, old.column))


def _item_edits(
    lines: list[str], old: _MappingEntry, wanted: Sequence[Any], depth: int
) -> Iterator[_LineEdit]:
    """Yield edits of the items of a block list that differ, and of those that are new at its end."""
    column = old.node.start_mark.column
    starts = [item.start_mark.line for item in old.node.value]
    if len(starts) != len(old.value) or any(
        lines[line][: column + 1] != f"{' ' * column}-" for line in starts
    ):
        raise _NotPatchableError
    stops = [*starts[1:], old.end]
    end = old.end
    for item, value, new, start, stop in zip(
        old.node.value, old.value, wanted[: len(starts)], starts, stops, strict=True
    ):
        end = _end(lines, start, stop, column)
        if json.dumps(value) != json.dumps(new):
            yield from _one_item_edits(lines, _SequenceItem(item, value, start, end, column), new, depth)
    if added := wanted[len(starts) :]:
        yield _LineEdit(end, end, _lines_of_items(added, column))


@dataclass(frozen=True, slots=True)
class _SequenceItem:
    """One item of a block list."""

    node: Any
    value: Any
    start: int
    end: int
    column: int  # of its dash


def _one_item_edits(lines: list[str], old: _SequenceItem, wanted: Any, depth: int) -> Iterator[_LineEdit]:
    """Yield edits inside of an item, if both values are block mappings and its first key stays."""
    is_block = isinstance(old.node, MappingNode) and not old.node.flow_style
    if is_block and isinstance(wanted, dict) and not old.value.keys().isdisjoint(wanted):
        inner = _MappingBlock(old.node, old.value, old.end)
        dash = lines[old.start]
        # Without its dash, the item's first line is one of a mapping like any other.
        blank = dash[: old.column] + " " + dash[old.column + 1 :]
        try:
            edits = list(_edits([*lines[: old.start], blank, *lines[old.start + 1 :]], inner, wanted, depth))
        except _NotPatchableError:
            edits = []
        if edits and all(edit.start > old.start for edit in edits):
            yield from edits
            return
    yield _LineEdit(old.start, old.end, _lines_of_items([wanted], old.column))


def _lines_of_items(items: Sequence[Any], column: int) -> list[str]:
    return [line for text in block(items, column) for line in text.split("\n")]


def _written(name: str, value: Any, column: int) -> list[str]:
    return [line for text in entry(name, value, column) for line in text.split("\n")]


def _start(lines: list[str], key: Any, column: int) -> int:
    line: int = key.start_mark.line
    if not isinstance(key, ScalarNode) or key.start_mark.column != column or lines[line][:column].strip():
        raise _NotPatchableError
    return line


def _end(lines: list[str], start: int, stop: int, column: int) -> int:
    """Return the line behind an entry: empty lines and comments before the next entry belong to that one."""
    while stop > start + 1 and _is_between(lines[stop - 1], column):
        stop -= 1
    return stop


def _is_between(line: str, column: int) -> bool:
    stripped = line.lstrip(" ")
    return not stripped or (stripped.startswith("#") and len(line) - len(stripped) <= column)
