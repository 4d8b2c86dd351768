"""The result of testing a tool: failures, coverage of the contract, and what was not checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from toolgen.data.source import Span
from toolgen.schema.document import JsonObject


@dataclass(frozen=True, slots=True)
class Failure:
    """One way in which an implementation does not keep its contract."""

    check: str  # name of the check
    message: str
    place: Span  # of the example, or of the tool's name
    command: str = ""  # makes the call again
    diff: tuple[str, ...] = ()  # lines: expected and actual result
    example: int | None = None  # index of the example that it is about

    @staticmethod
    def of_data(data: Mapping[str, Any]) -> Failure:
        """Return the failure of its JSON data."""
        return Failure(**{**data, "place": Span(**data["place"]), "diff": tuple(data["diff"])})


@dataclass(frozen=True, slots=True)
class ActualResult:
    """How the call of an example ended, for updating it."""

    index: int  # of the example in the spec
    content: Any
    error: str | None


@dataclass(frozen=True, slots=True)
class ObservedOutcome:
    """The outcome of one call, for recording it."""

    example: str  # its name; of a neighbour, the example that it is near
    outcome: JsonObject
    arguments: JsonObject | None = None  # of a neighbour
    after: str = ""  # of a neighbour: the example whose call was made before
    tool: str = ""  # of a neighbour: another tool, called after the example


@dataclass(slots=True)
class ToolReport:
    """The result of testing one tool."""

    tool: str
    examples: int = 0
    calls: int = 0
    failures: list[Failure] = field(default_factory=list)
    not_checked: dict[str, str] = field(default_factory=dict)  # check → reason
    not_covered: list[str] = field(default_factory=list)  # parts of the contract that no call has shown
    notes: list[str] = field(default_factory=list)  # what else was seen, and is no failure
    not_implemented: bool = False
    not_tested: str = ""  # why no call was made
    may_do_harm: bool = False  # that is why
    actual: list[ActualResult] = field(default_factory=list)  # of examples that failed
    not_recorded: list[str] = field(default_factory=list)  # examples without a recorded outcome
    outcomes: list[ObservedOutcome] = field(default_factory=list)  # if they are to be recorded

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return asdict(self)

    @staticmethod
    def of_data(data: Mapping[str, Any]) -> ToolReport:
        """Return the report of `as_data`."""
        failures = [Failure.of_data(each) for each in data["failures"]]
        actual = [ActualResult(**each) for each in data["actual"]]
        outcomes = [ObservedOutcome(**each) for each in data["outcomes"]]
        return ToolReport(**{**data, "failures": failures, "actual": actual, "outcomes": outcomes})
