"""Findings of the fuzzer, and counts of its parts."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not happen, and the smallest input that shows it."""

    part: str
    kind: str
    detail: str
    reproduction: Any  # JSON for the part's `replay`


@dataclass(slots=True)
class Tally:
    """The figures and findings of a part."""

    counts: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.counts += other.counts
        self.findings += other.findings


@dataclass(frozen=True, slots=True)
class Deadline:
    """When to stop."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(time.monotonic() + seconds)

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.at


def save(finding: Finding, folder: Path) -> Path:
    """Write the reproduction of a finding to a file of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    number = len(list(folder.glob(f"{finding.part}-*.json"))) + 1
    file = folder / f"{finding.part}-{number:03}.json"
    fields = {"part": finding.part, "kind": finding.kind, "detail": finding.detail}
    file.write_text(json.dumps({**fields, "input": finding.reproduction}, indent=1) + "\n", encoding="utf-8")
    return file
