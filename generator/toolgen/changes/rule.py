"""Rules: what a change is called, whom it concerns, and how bad it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any

from toolgen.changes.contract import Contract, ProjectSettings
from toolgen.changes.edit_space import Direction, Edit
from toolgen.changes.finding import Category, Cause, Finding, Level, Places, Witness
from toolgen.changes.python_names import NameChange, find_name_changes
from toolgen.changes.schemas.judging import work_of_run
from toolgen.proof.containment import WorkBudget
from toolgen.schema.document import ASSERTED, JsonPath
from toolgen.schema.keywords import KEYWORDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule; if of no other class, one about tools that appear or go, versions or accepted changes."""

    code: str
    what: str  # is found: "a bound lets fewer values through"
    why: str  # it matters
    category: Category
    level: Level
    advice: str = ""  # what to do about a finding

    def advice_for(self, direction: Direction | None) -> str:
        """Return what to do about a finding."""
        return self.advice

    def finding(
        self,
        tool: str,
        pointer: str,
        message: str,
        places: Places,
        *,
        level: Level | None = None,  # None: the rule's
        direction: Direction | None = None,
        witness: Witness | None = None,
        detail: Any = None,
        cause: Cause | None = None,
    ) -> Finding:
        """Return a finding of the rule. There is no advice on one that is lowered to `info`."""
        return Finding(
            code=self.code,
            category=self.category,
            level=level or self.level,
            direction=direction,
            tool=tool,
            pointer=pointer,
            message=message,
            hint="" if level is Level.INFO else self.advice_for(direction),
            places=places,
            witness=witness,
            detail=detail,
            cause=cause,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaRule(Rule):
    """A rule about edits of schemas.

    It does not say whether an edit breaks: comparing the schemas does (`schemas/judging.py`). An edit without
    influence on which values are accepted never breaks, and has the level of one that does not.
    """

    claims: frozenset[tuple[str, Edit]]  # keywords, and edits of them
    levels: Mapping[Direction, Level]  # of edits that do not break
    response_advice: str = ""  # empty: that for requests

    def advice_for(self, direction: Direction | None) -> str:
        """Return what to do about a break."""
        return (self.response_advice if direction is Direction.RESPONSE else "") or self.advice

    @property
    def can_break(self) -> bool:
        """True if the edits decide which values are accepted, in one of the drafts."""
        return any(
            edit is not Edit.REORDERED and any(keyword in each for each in ASSERTED.values())
            for keyword, edit in self.claims
            if keyword in KEYWORDS
        )


@dataclass(frozen=True, slots=True)
class FieldEdit:
    """A change of a tool beside its schemas, or of a setting of the project."""

    path: JsonPath  # in the spec; of a setting: the field of `ProjectSettings`
    message: str
    detail: Any = None  # JSON data that tells apart edits at one path
    cause: Cause | None = None  # None: the tool's own spec
    places: Places | None = None  # None: those of the path


@dataclass(frozen=True)
class ToolPair:
    """Two versions of one tool."""

    old: Contract
    new: Contract
    today: date
    old_settings: ProjectSettings | None = None  # of the project; None: there is none, and the defaults hold
    new_settings: ProjectSettings | None = None
    work: WorkBudget = field(default_factory=work_of_run)  # of all comparisons of the run

    def knows(self, *fields: str) -> bool:
        """True if both sides can express the fields; a field that one of them cannot is not compared."""
        return all(name in self.old.knows and name in self.new.knows for name in fields)

    @cached_property
    def name_changes(self) -> tuple[NameChange, ...]:
        """Return the names of generated code that changed."""
        return tuple(find_name_changes(self.old.python, self.new.python))


def applies(written: bool | None, settings: ProjectSettings | None, name: str) -> bool:
    """Return what a spec says; else what the setting `name` says; without a project, the default: true."""
    return written if written is not None else settings is None or bool(getattr(settings, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRule(Rule):
    """A rule about the fields of a tool, which `check` compares if both sides know them."""

    fields: frozenset[str]  # of a spec; none: it compares what is generated
    check: Callable[[ToolPair], Iterator[FieldEdit]]
    direction: Direction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingRule(Rule):
    """A rule about the settings of a project, which apply to all of its tools."""

    check: Callable[[ProjectSettings, ProjectSettings], Iterator[FieldEdit]]  # of the old and the new version
