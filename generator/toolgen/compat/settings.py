"""The settings of a project that callers, importers and models depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toolgen.data.source import Span


@dataclass(frozen=True, slots=True)
class Settings:
    """What a configuration says, or means by default."""

    targets: frozenset[str]
    coerce: bool
    package: str  # import name of the generated code
    server_name: str
    instructions: str  # of the server; empty: none
    places: Mapping[str, Span]  # field of this class → where it is set, or could be
