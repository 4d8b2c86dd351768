"""The results of tests: failures of tools, coverage of contracts, what was not checked, updated files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.source import Span
from toolgen.schema.document import JsonObject
from toolgen.testing.tool_under_test import Neighbour

_CODES = {"example": "example-failed", "outcomes": "outcome-changed", "crash": "implementation-crashed"}
"""Checks with codes of their own; the others have `contract-broken`."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One way in which an implementation does not keep its contract."""

    check: str  # name of the check
    message: str
    place: Span  # of the example, or of the tool's name
    command: str = ""  # makes the call again
    diff: tuple[str, ...] = ()  # lines: expected and actual result
    example: int | None = None  # index of the example that it is about

    @property
    def diagnostic(self) -> Diagnostic:
        """Return it as an error at its place, with the command that shows it."""
        code = _CODES.get(self.check, "contract-broken")
        message = self.message if code != "contract-broken" else f"{self.check}: {self.message}"
        return Diagnostic(self.place, code, message, f"to see it: {self.command}" if self.command else "")


@dataclass(frozen=True, slots=True)
class ActualResult:
    """How the call of an example ended, for updating it."""

    index: int  # of the example in the spec
    content: Any
    error: str | None


@dataclass(frozen=True, slots=True)
class ToolReport:
    """The result of testing one tool."""

    tool: str
    examples: int = 0
    calls: int = 0
    failures: tuple[Failure, ...] = ()
    not_checked: Mapping[str, str] = field(default_factory=dict)  # check → reason
    not_covered: tuple[str, ...] = ()  # parts of the contract that no call has shown
    notes: tuple[str, ...] = ()  # what else was seen, and is no failure
    not_implemented: bool = False
    not_tested: str = ""  # why no call was made
    may_do_harm: bool = False  # that is why
    actual: tuple[ActualResult, ...] = ()  # of examples that failed
    not_recorded: tuple[str, ...] = ()  # examples without a recorded outcome
    outcomes: Mapping[str, JsonObject] = field(default_factory=dict)  # if they are to be recorded
    neighbours: tuple[Neighbour, ...] = ()  # with their outcomes now, if they are to be recorded
    seconds: float = 0.0  # of the tests
    fixture_seconds: float = 0.0  # of them, in fixtures

    @property
    def result(self) -> str:
        """Return `failed`, `not implemented`, `not tested` or `passed`."""
        if self.failures:
            return "failed"
        if self.not_implemented:
            return "not implemented"
        return "not tested" if self.not_tested else "passed"


@dataclass(frozen=True, slots=True)
class ServerReport:
    """The result of testing a server."""

    server: str  # its name and protocol version
    reports: tuple[ToolReport, ...]
    unknown: tuple[str, ...]  # listed tools that the specs do not have
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileUpdate:
    """A file of the project that says how calls end now: a spec, or recorded outcomes."""

    file: str  # below the project's root
    before: str | None  # None: a new file
    after: str | None  # None: it is removed
    tool: str = ""  # of a spec
    examples: tuple[int, ...] = ()  # of a spec: the indices of the examples with other results


@dataclass(frozen=True, slots=True)
class ProjectReport:
    """The result of testing the tools of a project."""

    tools: tuple[ToolReport, ...]
    seed: str
    package: str  # the generated one
    fixtures: str  # the file that may give the tests data
    server: ServerReport | None = None  # None: implementations were tested
    is_update: bool = False  # what is expected of the calls was to be updated
    updates: tuple[FileUpdate, ...] = ()
    stale_records: tuple[str, ...] = ()  # what is recorded of examples that the specs do not have
