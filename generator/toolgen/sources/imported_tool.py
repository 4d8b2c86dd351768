"""The result of an importer: one tool as a spec, or an error about its source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from toolgen.base.suggestions import shortened
from toolgen.runtime.definition.spec_schema import FIELDS

_MAX_KEYS = 200  # characters


class SourceError(Exception):
    """The source cannot be imported. `code` is the diagnostic code that the command reports."""

    def __init__(self, message: str, hint: str = "", code: str = "bad-source") -> None:
        self.message, self.hint, self.code = message, hint, code
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class ImportedTool:
    """One tool as a spec: `fields` in the order of the language, `notes` for the user who imports it."""

    fields: Mapping[str, Any]
    notes: tuple[str, ...] = ()  # sentences: what was renamed, repaired or left out
    origin: str = ""  # where the source says that it has the tool from

    @property
    def name(self) -> str:
        """The tool's name in the spec."""
        return str(self.fields["name"])


@dataclass(frozen=True, slots=True)
class ImportedTools:
    """The tools of a source, and a file of schemas that they share."""

    tools: list[ImportedTool]
    shared_file: str = ""  # path relative to their specs; empty: there is none
    definitions: Mapping[str, Any] = field(default_factory=dict)  # `$defs` of the file


@dataclass(slots=True)
class LeftOut:
    """The tools of a source that cannot be imported; `raises` if one of them refuses the others."""

    raises: bool = False
    reasons: dict[str, str] = field(default_factory=dict)  # key of a tool → what is wrong, and the way out
    code: str = ""  # of the first error

    @contextmanager
    def reading(self, key: str) -> Iterator[None]:
        """Leave out the tool that `key` identifies in its source if reading it raises `SourceError`."""
        try:
            yield
        except SourceError as error:
            if self.raises:
                raise
            self.code = self.code or error.code
            self.reasons[key] = "; ".join(filter(None, (error.message, error.hint)))

    def messages(self) -> list[str]:
        """Return one sentence for each reason, with the tools that have it."""
        keys: dict[str, list[str]] = {}
        for key, reason in self.reasons.items():
            keys.setdefault(reason, []).append(key)
        return [
            f"left out {shortened(', '.join(found), _MAX_KEYS)}: {reason}" for reason, found in keys.items()
        ]


def in_spec_order(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return `fields` in the order of the language, extension keys (`x-*`) last."""
    known = {name: fields[name] for name in FIELDS if name in fields}
    return known | {name: value for name, value in fields.items() if name not in known}
