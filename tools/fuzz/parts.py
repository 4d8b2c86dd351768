"""The parts of the fuzzer, and how much of its time each takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from tools.fuzz import cost, dump, links, names, regexes, schemas, server, sources, terminal, text
from tools.fuzz.findings import Deadline, Finding, Tally
from tools.fuzz.workers import Workers


@dataclass(frozen=True, slots=True)
class Part:
    """One part: its search, its replay of a reproduction, and its share of the time."""

    run: Callable[[Random, Deadline, Workers], Tally]
    replay: Callable[[Any], list[Finding]]
    share: float


def _nothing(source: Random, deadline: Deadline, workers: Workers) -> Tally:
    return Tally()


PARTS: dict[str, Part] = {
    "text": Part(text.run, text.replay, 0.25),
    "shown_as": Part(_nothing, names.replay, 0.0),  # searched by `text`
    "schemas": Part(schemas.run, schemas.replay, 0.13),
    "terminal": Part(terminal.run, terminal.replay, 0.05),
    "sources": Part(sources.run, sources.replay, 0.12),
    "server": Part(server.run, server.replay, 0.1),
    "cost": Part(cost.run, cost.replay, 0.2),
    "dump": Part(dump.run, dump.replay, 0.03),
    "links": Part(links.run, links.replay, 0.07),
    "regexes": Part(regexes.run, regexes.replay, 0.05),
}
