"""Findings: what changed, for whom it breaks, where, and a value that shows it."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final, Literal

from toolgen.changes.edit_space import Direction
from toolgen.language.source import Span


class Level(enum.Enum):
    """How bad a finding is."""

    OFF = "off"
    """Not reported: for the policy only."""
    INFO = "info"
    """Nothing that worked before stops to work."""
    WARNING = "warning"
    """It depends on what the contract does not say."""
    ERROR = "error"
    """Something that worked before no longer works."""

    def reaches(self, other: Level) -> bool:
        """True if this level is at least `other`."""
        return _ORDER[self] >= _ORDER[other]


_ORDER: Final = {level: number for number, level in enumerate(Level)}


class Category(enum.Enum):
    """Whom a finding concerns."""

    WIRE = "wire"
    """Callers, by whichever protocol."""
    SOURCE = "source"
    """Python code that imports generated names."""
    SAFETY = "safety"
    """Users, who rely on being asked, and on what a tool says that it does not do."""
    AGENT = "agent"
    """Models, which read descriptions."""
    IMPL = "impl"
    """The implementation of the tool, and who runs it."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A value that one version accepts and the other refuses, as the validator confirmed."""

    value: Any
    accepted_by: Literal["old", "new"]  # the other one refuses it


@dataclass(frozen=True, slots=True)
class Places:
    """Where a finding is: a place in the new version, and one in the old version."""

    new: Span | None  # None: the new version has no such tool
    old: Span | None


@dataclass(frozen=True, slots=True)
class Cause:
    """An edit of a shared file, which findings about several tools have in common."""

    pointer: str  # of the edit: shared/shop.yaml#/$defs/Sku/maxLength
    message: str  # of the finding, without the place in one tool


@dataclass(frozen=True, slots=True)
class Finding:
    """One change, and the level that its rule and the comparison give it."""

    code: str
    category: Category
    level: Level
    direction: Direction | None  # None: about the tool as a whole
    tool: str  # empty: about a setting of the project, or about `tools`
    pointer: str  # JSON Pointer into the spec, as if references were replaced by what they refer to
    message: str
    hint: str
    places: Places
    witness: Witness | None = None
    detail: Any = None  # JSON data that tells apart findings at one place
    accepted: str = ""  # the reason why the project accepts it
    cause: Cause | None = None  # None: an edit of the tool's own spec
    tools: tuple[str, ...] = ()  # several that one cause concerns, sorted

    @property
    def all_tools(self) -> tuple[str, ...]:
        """Return the tools that the finding is about; none for a setting."""
        return self.tools or ((self.tool,) if self.tool else ())

    def of_cause(self, cause: Cause, tools: Iterable[str]) -> Finding:
        """Return the finding as one about all `tools` that the cause concerns."""
        return replace(
            self,
            tool="",
            tools=tuple(sorted(tools)),
            pointer=cause.pointer,
            message=cause.message,
            cause=None,
        )

    @property
    def fingerprint(self) -> str:
        """Return twelve hex digits that stay the same as long as the finding does, whatever its words are."""
        # Without the message: better words must not make an accepted change void.
        direction = self.direction.value if self.direction else None
        identity = [self.code, self.tool, direction, self.pointer, self.detail]
        text = json.dumps(identity, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return sha256(text.encode()).hexdigest()[:12]
