"""What an importer makes of one tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.data.spec import Spec

ORDER = tuple(name for name in Spec.model_fields if name != "extensions")
"""The fields of the language in the order that people know from its description."""


class SourceError(Exception):
    """The source is not what it should be: nothing of it can be imported."""

    def __init__(self, message: str, hint: str = "", code: str = "bad-source") -> None:
        self.message, self.hint, self.code = message, hint, code
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Imported:
    """One tool as a spec: `fields` in the order of the language, `notes` for whoever imports it."""

    fields: Mapping[str, Any]
    notes: tuple[str, ...] = ()  # sentences: what was mapped, repaired, left out
    origin: str = ""  # what the source says of where it has the tool from

    @property
    def name(self) -> str:
        """The tool's name in the language."""
        return str(self.fields["name"])


def in_order(fields: Mapping[str, Any]) -> dict[str, Any]:
    """`fields` as the language orders them, keys of its own (`x-*`) last."""
    known = {name: fields[name] for name in ORDER if name in fields}
    return known | {name: value for name, value in fields.items() if name not in known}
