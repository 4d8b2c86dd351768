"""What `toolgen fmt` writes: the fields of a spec in the order of the language.

Whole lines move, and nothing else changes: comments, blank lines, flow and block style, quotes and wrapped
texts stay as their author wrote them. Schemas are published in their author's words, so their keywords keep
their order, too. By hand: ruamel.yaml lays out a document anew (measured in `yaml12/patch.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final

from toolgen.language.diagnostic import SpecErrors
from toolgen.language.reading.read import read
from toolgen.language.source import Source
from toolgen.language.spec import is_shared_file
from toolgen.language.yaml12.patch import end_of_entry
from toolgen.runtime.definition.spec_schema import DEFINITIONS
from toolgen.schema.document import JsonObject, JsonPath

_SHARED: Final[JsonObject] = {"properties": {"$schema": {}, "$comment": {}, "$defs": {}}}
_KEEPS_BLANKS: Final = re.compile(r"[|>][1-9]?\+[1-9]?$")
"""The header of a block scalar whose value holds the blank lines behind it, without a comment."""
_OF_FILE: Final = re.compile(r"\s*# (yaml-language-server:|Imported by )")
"""A comment about the whole file, which stays at its top."""


def format_spec(file: str, content: bytes | str) -> str:
    """Return the text of a spec, or of a file of shared schemas, in the order of the language.

    A file that the order would change the meaning of (an alias must follow its anchor) keeps its own.
    Raises `SpecErrors` for text that is not valid YAML; fields may be missing or unknown.
    """
    source = _read(file, content)
    text = source.text
    if isinstance(source.data, dict):
        arranged = "\n".join(_Lines(source).arranged())
        text = arranged if _is_equal(source, arranged) else text
    if not text.endswith("\n") and _is_equal(source, f"{text}\n"):
        text += "\n"
    return _with_bytes_of(content, text)


def _read(file: str, content: bytes | str) -> Source:
    return read({file: content})[0]


def _is_equal(source: Source, text: str) -> bool:
    if text == source.text:
        return True
    try:
        after = _read(source.file, text)
    except SpecErrors:
        return False
    return _meaning(source) == _meaning(after)


def _meaning(source: Source) -> str:
    ignored = {json.dumps(path): value for path, value in source.suppressions.items()}
    return json.dumps([source.data, ignored], sort_keys=True)


def _with_bytes_of(content: bytes | str, text: str) -> str:
    """Return `text` with the byte order mark and the line ends that `content` has."""
    raw = content.decode() if isinstance(content, bytes) else content
    first = re.search(r"\r\n|\r|\n", raw)
    if first and first[0] != "\n":
        text = text.replace("\n", first[0])
    return "\ufeff" + text if raw.startswith("\ufeff") else text


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of a block mapping: its lines, and those of the comments above it."""

    key: Any
    lead: int  # the first of the blank lines and comments above
    start: int
    end: int  # the line behind its last one


@dataclass(frozen=True, slots=True)
class _Block:
    """A mapping in block style."""

    entries: Sequence[_Entry]
    column: int  # of its keys


class _Lines:
    """The lines of a spec, by which its mappings are arranged."""

    def __init__(self, source: Source) -> None:
        self._lines = source.lines
        self._marks = source.marks
        self._root = _SHARED if is_shared_file(source.data) else DEFINITIONS["Tool"]
        self._keys: dict[JsonPath, list[JsonPath]] = {}
        for path in source.marks.keys:
            self._keys.setdefault(path[:-1], []).append(path)
        self._items: dict[JsonPath, list[JsonPath]] = {}
        for path in source.marks.values:
            if path and isinstance(path[-1], int):
                self._items.setdefault(path[:-1], []).append(path)

    def arranged(self) -> list[str]:
        """Return all lines, with every mapping of the language in its order."""
        return self._value((), self._root, 0, len(self._lines))

    def _value(self, path: JsonPath, part: JsonObject, start: int, stop: int) -> list[str]:
        """Return the lines `start` to `stop`, which have the value at `path`, with that arranged."""
        if "properties" in part and (block := self._block(path, start, stop)):
            return self._mapping(block, path, part, start, stop)
        lines: list[str] = []
        at = start
        for item, first, end in self._list(path, stop) if "items" in part else ():
            lines += self._lines[at:first]
            lines += self._value(item, _part_of(part["items"]), first, end)
            at = end
        return [*lines, *self._lines[at:stop]]

    def _mapping(self, block: _Block, path: JsonPath, part: JsonObject, start: int, stop: int) -> list[str]:
        fields = part["properties"]
        ordered = _in_order(block.entries, fields)
        first, new_first, column = block.entries[0], ordered[0], block.column
        dash = self._lines[first.start][:column]
        # blank lines are between entries: the first one has none above it
        blanks = self._blanks(new_first) if new_first is not first else []
        lines = self._lines[start : first.lead]
        for entry in ordered:
            lead = self._lines[entry.lead : entry.start]
            if entry is new_first:
                lead = lead[len(blanks) :]
            elif entry is first:
                lead = [*blanks, *lead]
            inner = _part_of(fields.get(entry.key, part.get("additionalProperties")))
            own = self._value((*path, entry.key), inner, entry.start, entry.end)
            before = dash if entry is new_first else " " * column
            lines += [*lead, before + own[0][column:], *own[1:]]
        return [*lines, *self._lines[block.entries[-1].end : stop]]

    def _blanks(self, entry: _Entry) -> list[str]:
        return list(takewhile(lambda line: not line.strip(), self._lines[entry.lead : entry.start]))

    def _block(self, path: JsonPath, above: int, stop: int) -> _Block | None:
        """Return the mapping at `path` if each of its keys begins a line, below the line `above`."""
        keys = self._keys.get(path, [])
        spans = [self._marks.keys[key] for key in keys]
        value = self._marks.values.get(path)
        if not spans or value is None or (value.line, value.column) != (spans[0].line, spans[0].column):
            return None
        column = value.column - 1
        before = [self._lines[span.line - 1][:column] for span in spans]
        is_block = before[0].strip(" ") in ("", "-") and not any(each.strip(" ") for each in before[1:])
        if not is_block or any(span.column != value.column for span in spans):
            return None
        entries: list[_Entry] = []
        starts = [span.line - 1 for span in spans]
        lead = self._first_lead(starts[0], above)
        for key, start, following in zip(keys, starts, [*starts[1:], stop], strict=True):
            entries.append(_Entry(key[-1], lead, start, self._end(start, following, column)))
            lead = entries[-1].end
        return _Block(entries, column)

    def _first_lead(self, start: int, above: int) -> int:
        """Return the first line of the comment directly above the first key, which is about that key."""
        lead = start
        while lead > above and _is_comment(line := self._lines[lead - 1]) and not _OF_FILE.match(line):
            lead -= 1
        return lead

    def _end(self, start: int, stop: int, column: int) -> int:
        """Return the line behind an entry: empty lines and comments before the next entry belong to that."""
        keeps_blanks = any(
            _KEEPS_BLANKS.search(line.partition(" #")[0].rstrip()) for line in self._lines[start:stop]
        )
        return end_of_entry(self._lines, start, stop, column, keeps_blanks=keeps_blanks)

    def _list(self, path: JsonPath, stop: int) -> Iterator[tuple[JsonPath, int, int]]:
        """Yield each item of a block list with its lines, if every item begins behind its dash."""
        items = self._items.get(path, [])
        spans = [self._marks.values[item] for item in items]
        before = [self._lines[span.line - 1][: span.column - 1] for span in spans]
        if not items or any(each.strip(" ") != "-" for each in before):
            return
        starts = [span.line - 1 for span in spans]
        for item, start, following, dash in zip(items, starts, [*starts[1:], stop], before, strict=True):
            yield item, start, self._end(start, following, dash.index("-"))


def _in_order(entries: Sequence[_Entry], fields: Collection[str]) -> list[_Entry]:
    """Return the entries in the order of `fields`; an unknown key stays behind the field before it."""
    groups: list[list[_Entry]] = []
    for entry in entries:
        if entry.key in fields or not groups:
            groups.append([])
        groups[-1].append(entry)
    ranks = {field: rank for rank, field in enumerate(fields)}
    groups.sort(key=lambda group: ranks.get(group[0].key, -1))
    return [entry for group in groups for entry in group]


def _part_of(schema: Any) -> JsonObject:
    """Return the definition of the language that a field's schema names, or itself."""
    for keyword in ("oneOf", "allOf"):
        if isinstance(schema, dict) and keyword in schema:
            schema = schema[keyword][0]
    if isinstance(schema, dict) and "$ref" in schema:
        return DEFINITIONS[schema["$ref"].rpartition("/")[2]]
    return schema if isinstance(schema, dict) else {}


def _is_comment(line: str) -> bool:
    return line.lstrip(" ").startswith("#")
