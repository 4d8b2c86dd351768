"""The parts of the fuzzer, how much of its time each takes, and inputs that failed once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tools.fuzz import terminal, text
from tools.fuzz.findings import Deadline, Finding, Tally
from tools.fuzz.workers import Workers

CORPUS = Path(__file__).with_name("corpus")
"""Inputs that failed once, one file each with the reason; tried first, and in `make test`."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part: its search, what tries one reproduction, and its share of the time."""

    run: Callable[[Random, Deadline, Workers], Tally]
    attempt: Callable[[Any], Tally]
    share: float

    def replay(self, reproduction: Any) -> list[Finding]:
        """Return the findings of a reproduction."""
        return self.attempt(reproduction).findings


PARTS: dict[str, Part] = {
    "text": Part(text.run, text.try_data, 0.8),
    "terminal": Part(terminal.run, terminal.try_text, 0.2),
}


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


def entries() -> Iterator[Entry]:
    """Return the inputs of the corpus by name."""
    return map(entry, sorted(CORPUS.glob("*.json")))


def entry(file: Path) -> Entry:
    """Read an input of the corpus, or a reproduction that the fuzzer wrote."""
    data = json.loads(file.read_text(encoding="utf-8"))
    return Entry(file.stem, data["part"], data.get("reason") or data["detail"], data["input"])
