"""Every diagnostic code: its severity, what it reports, why, and how to fix it. `codes.toml` has them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """The documentation of a diagnostic code, as `toolgen explain` shows it."""

    severity: Literal["error", "warning"] = "error"
    title: str  # one line
    why: str  # why it is refused, or worth a warning
    fix: str  # what to do about it
    evidence: str = ""  # of what `toolgen lint` reports: the kind (see EVIDENCE), a colon, the source


class _Codes(Mapping[str, Code]):
    """The codes of some sections of the file, which is read when the first diagnostic is reported."""

    def __init__(self, *sections: str) -> None:
        self._sections = sections

    def __getitem__(self, code: str) -> Code:
        return next(rows[code] for rows in self._rows() if code in rows)

    def __contains__(self, code: object) -> bool:
        return any(code in rows for rows in self._rows())

    def __iter__(self) -> Iterator[str]:
        return (code for rows in self._rows() for code in rows)

    def __len__(self) -> int:
        return sum(map(len, self._rows()))

    def _rows(self) -> list[dict[str, Code]]:
        known = _read()
        return [known[section] for section in self._sections or known]


# On demand: reading the table takes some milliseconds, and a run without diagnostics needs none of it.
@cache
def _read() -> dict[str, dict[str, Code]]:
    """Return the codes by section. Raises `TypeError` if a row has a key that codes do not have."""
    from importlib.resources import files  # 5 ms, for reports only

    text = files("toolgen.language").joinpath("codes.toml").read_text("utf-8")
    sections = tomllib.loads(text).items()
    return {section: {code: _code(row) for code, row in rows.items()} for section, rows in sections}


def _code(row: Mapping[str, str]) -> Code:
    texts: dict[str, Any] = {key: " ".join(text.split()) for key, text in row.items()}
    return Code(**texts)


EVIDENCE: Final = {
    "measured": "a study measured the effect on models",
    "provider": "a provider or a client refuses, cuts or ignores it",
    "directory": "a directory of servers refuses it",
    "specification": "it follows from a specification, or from how toolgen publishes",
}
"""The kinds of evidence that a lint rule states."""

CODES: Final = _Codes()
PROJECT: Final = _Codes("project")
IMPLEMENTATIONS: Final = _Codes("implementations")
TESTS: Final = _Codes("tests")
BUDGET: Final = _Codes("budget")
LINT: Final = _Codes("lint")


@cache
def lint_codes() -> Mapping[str, Code]:
    """Return what `toolgen lint` reports, and a project can set the level of."""
    return {code: found for code, found in CODES.items() if found.evidence}
