"""The catalogue of diagnostic codes: every word that a diagnostic can carry, and what it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Code:
    """What `toolgen explain` says of a code."""

    severity: Literal["error", "warning"]
    title: str  # one line
    why: str  # why it is refused, or worth a word
    fix: str  # what to do about it


CODES: dict[str, Code] = {
    "unknown-field": Code(
        "error",
        "a field that the language does not have",
        "A misspelt field would otherwise be ignored in silence, and the contract with it.",
        "Use one of the language's fields, or an `x-` key at the top of the file to carry data of your own.",
    ),
}
