"""The parts of the fuzzer, and how much of its time each takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from tools.fuzz import cost, dump, links, regexes, schemas, server, sources, terminal, text
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
    "text": Part(text.run, text.try_data, 0.25),
    "schemas": Part(schemas.run, schemas.try_recipe, 0.13),
    "terminal": Part(terminal.run, terminal.try_text, 0.05),
    "sources": Part(sources.run, sources.try_recipe, 0.12),
    "server": Part(server.run, server.try_sent, 0.1),
    "cost": Part(cost.run, cost.try_recipe, 0.2),
    "dump": Part(dump.run, dump.try_seed, 0.03),
    "links": Part(links.run, links.try_alone, 0.07),
    "regexes": Part(regexes.run, regexes.try_patterns, 0.05),
}
