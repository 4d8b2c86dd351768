"""The tests of a project, one by one: each example of each tool, and each property of each tool."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgen.project import Project, UnableError
from toolgen.suggestions import did_you_mean
from toolgen.testing.checks.all_checks import CHECKS
from toolgen.testing.fixtures import Fixtures, load_fixtures
from toolgen.testing.inputs import requests
from toolgen.testing.outcomes.recorded import with_recorded
from toolgen.testing.project_tools import fixtures_file, project_tools
from toolgen.testing.results import Failure, ToolReport
from toolgen.testing.runner import RunOptions, ToolRunner
from toolgen.testing.subject import Call, Session, Subject, call_command, only_harmless
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest
from toolgen.testing.toolkit_subject import ToolkitSession, ToolkitSubject

if TYPE_CHECKING:
    from toolgen.runtime import Toolkit


@dataclass(slots=True)
class ProjectCases:
    """The tools of a project and their fixtures. Properties are tested once for each tool."""

    project: Project
    tools: Sequence[ToolUnderTest]
    options: RunOptions
    _fixtures: Fixtures | None = None
    _reports: dict[str, ToolReport] = field(default_factory=dict)

    @staticmethod
    def read(project: Project, options: RunOptions) -> ProjectCases:
        """Read the specs of a project. Raises `SpecErrors` or `UnableError`."""
        return ProjectCases(project, with_recorded(project, project_tools(project)), options)

    def fixtures(self) -> Fixtures:
        """Return the project's fixtures, imported when they are first asked for. Raises FixtureError."""
        if self._fixtures is None:
            self._fixtures = load_fixtures(self.project.package, fixtures_file(self.project))
        return self._fixtures

    def select(self, names: Sequence[str] = (), *, implemented: bool = True) -> list[ToolCase]:
        """Return the tests of the tools that are named, or of all. Raises `UnableError` for another name."""
        by_name = {tool.name: tool for tool in self.tools}
        for name in names:
            if name not in by_name:
                hint = did_you_mean(name, by_name) or f"the tools are {', '.join(by_name)}"
                raise UnableError("no-such-tool", f"there is no tool called '{name}'", hint)
        chosen = [by_name[name] for name in names] or list(self.tools)
        if not implemented:
            return [ToolCase(self, tool, "not implemented") for tool in chosen]
        return [case for tool in chosen for case in self._of(tool)]

    def _of(self, tool: ToolUnderTest) -> list[ToolCase]:
        examples = [ToolCase(self, tool, "example", example) for example in tool.examples]
        checks = [check for check in CHECKS if check.name != "example" and check.applies(tool)]
        return [*examples, *(ToolCase(self, tool, check.name) for check in checks)]

    def properties(self, tool: ToolUnderTest, subject: Subject) -> ToolReport:
        """Return the report on a tool, which is tested once."""
        if tool.name not in self._reports:
            runner = ToolRunner(tool, subject, self.options)
            self._reports[tool.name] = runner.run()
        return self._reports[tool.name]


@dataclass(frozen=True, slots=True)
class ToolCase:
    """One test of one tool."""

    cases: ProjectCases
    tool: ToolUnderTest
    check_name: str  # of a check; "example" has the example beside; "not implemented"
    example: ExpectedCall | None = None
    subject: Subject | None = None  # None: the tools of the project

    @property
    def id(self) -> str:
        """Return the name that pytest shows."""
        return f"{self.tool.name}-{self.check_name if self.example is None else self.example.name}"

    def on(self, subject: Subject | None) -> ToolCase:
        """Return the same test of another subject."""
        return replace(self, subject=subject)

    def check(self) -> None:
        """Test it. Fails with the differences and the command that makes the call again."""
        __tracebackhide__ = True
        import pytest

        subject = self.subject or ToolkitSubject(self.cases.fixtures(), self.tool.scopes)
        if self.check_name == "not implemented":
            failures = self._implemented(subject)
        elif self.example is not None:
            runner = ToolRunner(self.tool, subject, self.cases.options)
            failures = runner.run_example(self.example)
            if runner.report.not_implemented:
                failures = [Failure("example", f"{self.tool.name} is not implemented", self.tool.place)]
        else:
            report = self.cases.properties(self.tool, subject)
            reason = report.not_checked.get(self.check_name)
            if reason:
                pytest.skip(reason)
            failures = [each for each in report.failures if each.check == self.check_name]
        if failures:
            pytest.fail("\n\n".join(map(_text, failures)), pytrace=False)

    def _implemented(self, subject: Subject) -> list[Failure]:
        """Return a failure if the tool answers anything else than `not_implemented`."""
        tool = self.tool
        request = next(
            (example.arguments for example in tool.examples),
            next(requests(tool, seed=self.cases.options.seed, count=1), {}),
        )

        async def ask() -> Any:
            async with subject.session() as session:
                return await session.call(Call(tool.name, request))

        answer = asyncio.run(ask())
        if answer.error == "not_implemented":
            return []
        message = (
            f"{tool.name} is expected to be not implemented, and answers {answer.shown}; "
            "if it is implemented now, remove implemented=False"
        )
        return [Failure("example", message, tool.place, call_command(Call(tool.name, request), tool))]


def _text(failure: Failure) -> str:
    lines = [f"{failure.place.file}:{failure.place.line}: {failure.check}: {failure.message}"]
    lines += failure.diff
    lines += [f"to see it: {failure.command}"] if failure.command else []
    return "\n".join(lines)


class GivenSubject:
    """A toolkit and snapshots that pytest fixtures of the project gave; all sessions share them."""

    is_isolated = True
    has_fresh_data = False

    def __init__(self, toolkit: Toolkit, take_snapshot: Callable[[], Any] | None) -> None:
        self._toolkit = toolkit
        self.has_state = take_snapshot is not None
        fixtures = Fixtures("", None, None if take_snapshot is None else lambda _: take_snapshot())
        self._fixtures = fixtures

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """Begin a session with the toolkit as it is."""
        definitions = self._toolkit.definitions.values()
        scopes = {scope for each in definitions for scope in each.get("auth", {}).get("scopes", ())}
        granted = tuple(sorted(scopes))
        yield ToolkitSession(self._toolkit, Path(), self._fixtures, granted, lambda _: None)

    def only_examples(self, tool: ToolUnderTest) -> str:
        """Return why only examples are called; empty if generated requests do no harm."""
        return only_harmless(tool, is_isolated=self.is_isolated)

    def command(self, call: Call, tool: ToolUnderTest) -> str:
        """Return the `toolgen call` line that makes the same call."""
        return call_command(call, tool)


def given_subject(toolkit: Toolkit, take_snapshot: Callable[[], Any] | None) -> Subject:
    """Return what is tested of a toolkit that a pytest fixture gave."""
    return GivenSubject(toolkit, take_snapshot)
