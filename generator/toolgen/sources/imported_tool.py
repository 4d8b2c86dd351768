"""The result of an importer: one tool as a spec, or an error about its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.runtime.definition.spec_schema import FIELDS


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


def in_spec_order(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return `fields` in the order of the language, extension keys (`x-*`) last."""
    known = {name: fields[name] for name in FIELDS if name in fields}
    return known | {name: value for name, value in fields.items() if name not in known}
