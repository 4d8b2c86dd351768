"""Reports of a step: diagnostics, faults of templates, progress. `toolgen.cli.report` formats them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass
from typing import Any, NamedTuple

from toolgen.language.source import Span


@dataclass(frozen=True, slots=True)
class Note:
    """Another location that belongs to a diagnostic."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One error or warning. `code` is a key of `toolgen.language.codes.CODES`, which holds its severity."""

    span: Span
    code: str
    message: str  # one sentence that names the wrong value
    hint: str = ""  # what to type instead
    notes: tuple[Note, ...] = ()

    def as_data(self) -> list[Any]:
        """Return it as JSON data."""
        return list(astuple(self))

    @staticmethod
    def of_data(data: list[Any]) -> Diagnostic:
        """Return the diagnostic of `as_data`; raise TypeError or ValueError for other data."""
        span, code, message, hint, notes = data
        return Diagnostic(
            Span(*span), code, message, hint, tuple(Note(Span(*place), text) for place, text in notes)
        )


class Sunset(NamedTuple):
    """The last day of a deprecated tool."""

    day: str  # ISO 8601
    error: Diagnostic  # from the day after


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics in the order of their places, each once."""
    # Each tool that refers to a shared file finds the faults in it again.
    return tuple(sorted(set(diagnostics), key=_place_and_text))


def _place_and_text(found: Diagnostic) -> tuple[str, int, int, int, str, str]:
    span = found.span  # compared by its fields: three times as fast as by `Span`
    return span.file, span.line, span.column, span.length, found.code, found.message


class SpecErrors(Exception):  # noqa: N818  (it carries all of them)
    """Errors in specs or configuration: all that a step found, in source order.

    `texts` has the texts of the files that are not on disk, of a commit for one.
    """

    def __init__(
        self, diagnostics: Iterable[Diagnostic], texts: Mapping[str, bytes | str] | None = None
    ) -> None:
        self.diagnostics = in_order(diagnostics)
        self.texts = texts
        super().__init__("; ".join(f"{d.span.file}:{d.span.line}: {d.message}" for d in self.diagnostics))


class TemplateBug(Exception):  # noqa: N818  a bug is more than an error
    """A template failed, or its output is not valid Python."""


Progress = Callable[[str, int, int], None]
"""Called with the kind of work, the number of things that are done, and the number of all."""


def no_progress(work: str, done: int, total: int) -> None:
    """Show nothing."""
