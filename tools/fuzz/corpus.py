"""Inputs that failed once, one file each with the reason; tried first, and in `make test`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.fuzz.findings import Finding
from tools.fuzz.parts import PARTS

FOLDER = Path(__file__).with_name("corpus")


@dataclass(frozen=True, slots=True)
class Entry:
    """An input of the corpus."""

    name: str
    part: str
    reason: str
    data: Any

    def replay(self) -> list[Finding]:
        """Return the findings of the input."""
        return PARTS[self.part].replay(self.data)


def entries(folder: Path = FOLDER) -> Iterator[Entry]:
    """Return the inputs of the corpus by name."""
    for file in sorted(folder.glob("*.json")):
        yield entry(file)


def entry(file: Path) -> Entry:
    """Read an input of the corpus, or a reproduction that the fuzzer wrote."""
    data = json.loads(file.read_text(encoding="utf-8"))
    return Entry(file.stem, data["part"], data.get("reason") or data["detail"], data["input"])
