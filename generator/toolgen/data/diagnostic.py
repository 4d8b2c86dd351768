"""What is wrong, where, and what to do: data that a report turns into text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Any

from toolgen.data.source import Span


@dataclass(frozen=True, slots=True)
class Note:
    """Another place that a fault involves."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault: `code` is a key of `toolgen.data.codes.CODES`, which knows its severity."""

    span: Span
    code: str
    message: str  # one sentence that names the offender
    hint: str = ""  # what to type instead
    notes: tuple[Note, ...] = ()

    def as_data(self) -> list[Any]:
        """All of it as JSON data."""
        return list(astuple(self))

    @staticmethod
    def of_data(data: list[Any]) -> Diagnostic:
        """The diagnostic that `as_data` gave away; TypeError or ValueError for anything else."""
        span, code, message, hint, notes = data
        return Diagnostic(
            Span(*span), code, message, hint, tuple(Note(Span(*place), text) for place, text in notes)
        )


class SpecErrors(Exception):  # noqa: N818, it carries them all
    """The one way specs are refused: every fault that a step could find, in source order."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(sorted(set(diagnostics), key=lambda d: (d.span, d.code, d.message)))
        super().__init__("; ".join(f"{d.span.file}:{d.span.line}: {d.message}" for d in self.diagnostics))
