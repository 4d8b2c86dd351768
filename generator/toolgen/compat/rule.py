"""Rules: what a change is called, whom it concerns, and how bad it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, Final

from toolgen.compat.contract import Contract
from toolgen.compat.edit_space import Direction, Edit, is_asserted
from toolgen.compat.finding import Category, Cause, Level
from toolgen.compat.python_names import NameChange, find_name_changes
from toolgen.compat.settings import Settings
from toolgen.schema.document import Draft, JsonPath
from toolgen.schema.keywords import KEYWORDS

Claim = tuple[str, Edit]
"""A keyword, and an edit of it."""


def claims(keywords: Iterable[str], *edits: Edit) -> frozenset[Claim]:
    """Return each of `edits` for each of `keywords`."""
    return frozenset((keyword, edit) for keyword in keywords for edit in edits)


_SAFE: Final[Mapping[Direction, Level]] = dict.fromkeys(Direction, Level.INFO)


@dataclass(frozen=True, slots=True)
class SchemaRule:
    """A rule about edits of schemas.

    It does not say whether an edit breaks: comparing the schemas does (`schemas/judging.py`). An edit without
    influence on which values are accepted never breaks, and has the level of one that does not.
    """

    code: str
    claims: frozenset[Claim]
    advice: str  # what to do about a break, of requests if there is another one for responses
    category: Category = Category.WIRE
    levels: Mapping[Direction, Level] = field(default_factory=lambda: _SAFE)  # of edits that do not break
    breaks: Level = Level.ERROR
    response_advice: str = ""

    def advice_for(self, direction: Direction) -> str:
        """Return what to do about a break."""
        return (self.response_advice if direction is Direction.RESPONSE else "") or self.advice

    @property
    def can_break(self) -> bool:
        """True if the edits decide which values are accepted, in one of the drafts."""
        return any(
            edit is not Edit.REORDERED and any(is_asserted(keyword, draft) for draft in Draft)
            for keyword, edit in self.claims
            if keyword in KEYWORDS
        )


@dataclass(frozen=True, slots=True)
class ToolEdit:
    """A change of a tool beside its schemas."""

    path: JsonPath  # in the spec
    message: str
    detail: Any = None  # JSON data that tells apart edits at one path
    cause: Cause | None = None  # None: the tool's own spec


@dataclass(frozen=True)
class ToolPair:
    """Two versions of one tool."""

    old: Contract
    new: Contract
    today: date
    old_settings: Settings | None = None  # of the project; None: there is none, and the defaults hold
    new_settings: Settings | None = None

    def knows(self, *fields: str) -> bool:
        """True if both sides can express the fields; a field that one of them cannot is not compared."""
        return all(name in self.old.knows and name in self.new.knows for name in fields)

    @cached_property
    def name_changes(self) -> tuple[NameChange, ...]:
        """Return the names of generated code that changed."""
        return tuple(find_name_changes(self.old.python, self.new.python))

    def replaces(self, change: NameChange) -> bool:
        """True if a name changed with the tool's own, or can still be imported."""
        return change.is_kept or (self.old.name != self.new.name and bool(change.now) and not change.shared)


@dataclass(frozen=True, slots=True)
class ToolRule:
    """A rule about the fields of a tool, which `check` compares if both sides know them."""

    code: str
    fields: frozenset[str]  # of a spec; none: it compares what is generated
    check: Callable[[ToolPair], Iterator[ToolEdit]]
    advice: str
    category: Category
    level: Level
    direction: Direction | None = None
    page: str = ""  # empty: the docstring of the rule's module


@dataclass(frozen=True, slots=True)
class SettingEdit:
    """A change of a setting."""

    setting: str  # field of `Settings`
    message: str
    detail: Any = None  # JSON data that tells apart edits of one setting


@dataclass(frozen=True, slots=True)
class SettingRule:
    """A rule about the settings of a project, which apply to all of its tools."""

    code: str
    check: Callable[[Settings, Settings], Iterator[SettingEdit]]  # of the old and the new version
    advice: str
    category: Category
    level: Level


@dataclass(frozen=True, slots=True)
class OtherRule:
    """A rule that the comparison as a whole applies: tools that appear, versions, accepted changes."""

    code: str
    advice: str
    category: Category
    level: Level


Rule = SchemaRule | ToolRule | SettingRule | OtherRule
