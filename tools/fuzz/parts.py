"""The parts of the fuzzer, and how much of its time each takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from tools.fuzz import terminal, text
from tools.fuzz.findings import Deadline, Finding, Tally
from tools.fuzz.workers import Workers


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
