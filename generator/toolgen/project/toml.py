"""TOML that can point: `tomllib` forgets places, so they are looked up when there is a fault to show."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import Any

from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.source import Span

_WHERE = re.compile(r"^(?P<what>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")
_HEADER = re.compile(r"^\s*\[\s*(?P<name>[^\]]+?)\s*\]")


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a TOML file, and how to find the place of its keys."""

    file: str  # as the user would type it
    text: str
    name: str  # "tool.toolgen"; "" for the top of the file
    data: dict[str, Any]

    def key(self, key: str) -> Span:
        """Where `key` is written; where its table begins, when it cannot be found."""
        number, column = self._find(key)
        return Span(self.file, number, column, len(key))

    def value(self, key: str, value: str) -> Span:
        """Where the string `value` of `key` is written; the key, when it cannot be found."""
        number, _ = self._find(key)
        for offset, line in enumerate(self.text.splitlines()[number - 1 :]):
            for quote in "\"'":
                at = line.find(f"{quote}{value}{quote}")
                if at >= 0:
                    return Span(self.file, number + offset, at + 1, len(value) + 2)
        return self.key(key)

    def _find(self, key: str) -> tuple[int, int]:
        written = re.compile(rf"""^\s*(?:{re.escape(self.name)}\.)?["']?(?P<key>{re.escape(key)})["']?\s*=""")
        inside, begins = not self.name, 1
        for number, line in enumerate(self.text.splitlines(), 1):
            if header := _HEADER.match(line):
                inside = re.sub(r"\s|[\"']", "", header["name"]) == self.name
                begins = number if inside else begins
            elif (inside or self.name in line) and (found := written.match(line)):
                return number, found.start("key") + 1
        return begins, 1


def parse(file: str, text: str) -> dict[str, Any]:
    """`text` as data; `SpecErrors` that points at the place where it stops being TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _WHERE.match(str(error))
        lines = text.splitlines() or [""]
        number = int(found["line"]) if found and found["line"] else len(lines)
        column = int(found["column"]) if found and found["column"] else 1
        what = found["what"] if found else str(error)
        message = f"this is not TOML: {what[:1].lower()}{what[1:]}"
        raise SpecErrors([Diagnostic(Span(file, number, column), "invalid-toml", message)]) from None
