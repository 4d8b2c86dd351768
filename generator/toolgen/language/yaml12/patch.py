"""Change a YAML mapping where its data changes: comments, layout and key order are kept wherever possible.

By hand, and not by a round trip through ruamel.yaml, which lays out the whole document anew. Measured with
ruamel.yaml 0.19 on 188 mappings (the YAML test suite, known footguns, the gallery, OpenAPI documents), to
each of which one key was added. Even with the best of five indentations for each document, ruamel changed
other lines or failed in 102 of them, 6 of the 25 specs of the gallery included; it took 13 times as long.
`patch_yaml` changed other lines of 26, none of them in the gallery, and kept all data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
class _Part:
    """One entry of a block mapping, or one item of a block list."""

    name: str | None  # None: an item
    value: Any
    node: Any  # of the value
    start: int
    end: int
    column: int  # of its key, or of its dash

    def written(self, value: Any) -> list[str]:
        """Return the lines of the part with another value."""
        texts = block([value], self.column) if self.name is None else entry(self.name, value, self.column)
        return _lines(texts)


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
    edits = list(enumerate(_mapping_edits(lines, _Part("", data, root, 0, len(lines), 0), wanted, depth)))
    # backwards, so that line numbers stay true; of several insertions at one line, the last one first
    for _, edit in sorted(edits, key=lambda each: (each[1].start, each[1].end, each[0]), reverse=True):
        lines[edit.start : edit.end] = edit.lines
    return "\n".join(lines)


def _mapping_edits(
    lines: list[str], old: _Part, wanted: Mapping[str, Any], depth: int
) -> Iterator[_LineEdit]:
    """Yield the edits that change a block mapping to `wanted`, in up to `depth` levels of mappings."""
    entries = _entries(lines, old)
    # Entries are never moved: a comment between two of them may be about either.
    if [key for key in wanted if key in entries] != [key for key in entries if key in wanted]:
        raise _NotPatchableError
    first = next(iter(entries.values()))
    at = first.start
    for name in wanted:
        if name in entries:
            at = entries[name].end
            yield from _edits(lines, entries[name], wanted[name], depth)
        else:
            yield _LineEdit(at, at, _lines(entry(name, wanted[name], first.column)))
    for name, each in entries.items():
        if name not in wanted:
            yield _LineEdit(each.start, each.end, [])


def _entries(lines: list[str], old: _Part) -> dict[str, _Part]:
    if not old.value or len(old.value) != len(old.node.value):
        raise _NotPatchableError
    column = old.node.value[0][0].start_mark.column
    starts = [_start(lines, key, column) for key, _ in old.node.value]
    stops = [*starts[1:], old.end]
    return {
        name: _Part(name, value, node, start, end_of_entry(lines, start, stop, column), column)
        for (name, value), (_, node), start, stop in zip(
            old.value.items(), old.node.value, starts, stops, strict=True
        )
    }


def _list_edits(lines: list[str], old: _Part, wanted: Sequence[Any], depth: int) -> Iterator[_LineEdit]:
    """Yield edits of the items of a block list that differ, and of those that are new at its end."""
    column = old.node.start_mark.column
    starts = [item.start_mark.line for item in old.node.value]
    if len(starts) != len(old.value) or any(
        lines[line][: column + 1] != f"{' ' * column}-" for line in starts
    ):
        raise _NotPatchableError
    end = old.end
    for item, value, new, start, stop in zip(
        old.node.value, old.value, wanted[: len(starts)], starts, [*starts[1:], old.end], strict=True
    ):
        end = end_of_entry(lines, start, stop, column)
        yield from _edits(lines, _Part(None, value, item, start, end, column), new, depth)
    if added := wanted[len(starts) :]:
        yield _LineEdit(end, end, _lines(block(added, column)))


def _edits(lines: list[str], old: _Part, wanted: Any, depth: int) -> list[_LineEdit]:
    """Return edits inside of a part if both values are block mappings or lists, else one of all of it."""
    if json.dumps(old.value) == json.dumps(wanted):
        return []
    node, is_block = old.node, not getattr(old.node, "flow_style", True)
    if depth > 1 and is_block:
        try:
            if isinstance(node, MappingNode) and isinstance(wanted, dict) and {*old.value} & {*wanted}:
                return _inner_edits(lines, old, wanted, depth - 1)
            is_list = isinstance(node, SequenceNode) and isinstance(wanted, list) and old.name is not None
            if is_list and len(wanted) >= len(old.value) > 0:
                return list(_list_edits(lines, old, wanted, depth - 1))
        except _NotPatchableError:
            pass  # rewritten below
    return [_LineEdit(old.start, old.end, old.written(wanted))]


def _inner_edits(lines: list[str], old: _Part, wanted: Mapping[str, Any], depth: int) -> list[_LineEdit]:
    """Return the edits inside of a mapping; the first key of an item stays, on the line of its dash."""
    if old.name is not None:
        return list(_mapping_edits(lines, old, wanted, depth))
    dash = lines[old.start]
    # Without its dash, the item's first line is one of a mapping like any other.
    blank = dash[: old.column] + " " + dash[old.column + 1 :]
    edits = list(_mapping_edits([*lines[: old.start], blank, *lines[old.start + 1 :]], old, wanted, depth))
    if any(edit.start == old.start for edit in edits):
        raise _NotPatchableError
    return edits


def _lines(texts: Iterable[str]) -> list[str]:
    return [line for text in texts for line in text.split("\n")]


def _start(lines: list[str], key: Any, column: int) -> int:
    line: int = key.start_mark.line
    if not isinstance(key, ScalarNode) or key.start_mark.column != column or lines[line][:column].strip():
        raise _NotPatchableError
    return line


def end_of_entry(
    lines: Sequence[str], start: int, stop: int, column: int, *, keeps_blanks: bool = False
) -> int:
    """Return the line behind an entry: empty lines and comments before the next entry belong to that one."""
    while stop > start + 1 and _is_between(lines[stop - 1], column, keeps_blanks):
        stop -= 1
    return stop


def _is_between(line: str, column: int, keeps_blanks: bool) -> bool:
    stripped = line.strip()
    if not stripped:
        return not keeps_blanks
    is_end = column == 0 and stripped == "..."  # of the document
    return is_end or (stripped.startswith("#") and line.index("#") <= column)
