"""The tests of a project, one by one: each example of each tool, and each property of each tool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from toolgen.base.escaping.places import terminal_line
from toolgen.language.checking.resolve import read_tools
from toolgen.project import Project, load_targets, read_specs
from toolgen.testing.checks import CHECKS
from toolgen.testing.implementation_source import has_implementation
from toolgen.testing.project_tools import find_tools, fixtures_file
from toolgen.testing.results import Failure, ToolReport
from toolgen.testing.runner import RunOptions, ToolRunner
from toolgen.testing.subject import Subject
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest, tool_under_test
from toolgen.testing.toolkit_subject import Fixtures, ToolkitSubject, load_fixtures
from toolgen.testing.updated_files import with_recorded


@dataclass
class ProjectCases:
    """The tools of a project and their fixtures. Properties are tested once for each tool."""

    project: Project
    tools: Sequence[ToolUnderTest]
    options: RunOptions
    _reports: dict[str, ToolReport] = field(default_factory=dict)

    @staticmethod
    def read(project: Project, options: RunOptions) -> ProjectCases:
        """Read the specs of a project. Raises `SpecErrors` or `UnableError`."""
        program = read_tools(read_specs(project), load_targets(project), f"{project.specs}/")
        tools = [with_recorded(project, tool_under_test(tool)) for tool in program.tools]
        return ProjectCases(project, tools, options)

    @cached_property
    def fixtures(self) -> Fixtures:
        """Return the project's fixtures, imported when they are first asked for. Raises FixtureError."""
        return load_fixtures(self.project.package, fixtures_file(self.project))

    def select(self, names: Sequence[str] = (), *, implemented: bool = True) -> list[ToolCase]:
        """Return the tests of the tools that are named, or of all. Raises `UnableError` for another name."""
        by_name = {tool.name: tool for tool in self.tools}
        chosen = find_tools(by_name, names) or self.tools
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
            runner = ToolRunner(tool, subject, self.options, tools=self.tools)
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
        name = self.check_name if self.example is None else self.example.name
        return terminal_line(f"{self.tool.name}-{name}")

    def check(self) -> None:
        """Test it. Fails with the differences and the command that makes the call again."""
        __tracebackhide__ = True
        import pytest

        if self.check_name == "not implemented":
            failures = self._implemented()
        else:
            subject = self.subject or ToolkitSubject(self.cases.fixtures, self.tool.scopes)
            report = self._tested(subject)
            if report.not_tested:
                pytest.skip(terminal_line(f"not tested: {report.not_tested}"))
            if self.example is None and self.check_name in report.not_checked:
                pytest.skip(terminal_line(report.not_checked[self.check_name]))
            failures = [each for each in report.failures if self.example or each.check == self.check_name]
            if report.not_implemented and self.example is not None:
                failures = [Failure("example", f"{self.tool.name} is not implemented", self.tool.place)]
        if failures:
            pytest.fail("\n\n".join(map(_text, failures)), pytrace=False)

    def _tested(self, subject: Subject) -> ToolReport:
        """Return the report on the example alone; for a property, that on the whole tool."""
        if self.example is None:
            return self.cases.properties(self.tool, subject)
        runner = ToolRunner(self.tool, subject, self.cases.options)
        runner.run_example(self.example)
        return runner.report()

    def _implemented(self) -> list[Failure]:
        """Return a failure if the tool's module is more than a stub. Makes no call, which may do harm."""
        if not has_implementation(self.cases.project.package, self.tool.name):
            return []
        message = (
            f"{self.tool.name} is expected to be not implemented, but its module is no longer the stub: "
            "if it is implemented now, remove implemented=False"
        )
        return [Failure("example", message, self.tool.place)]


def _text(failure: Failure) -> str:
    lines = [f"{failure.place.file}:{failure.place.line}: {failure.check}: {failure.message}"]
    lines += failure.diff
    lines += [f"to see it: {failure.command}"] if failure.command else []
    return "\n".join(map(terminal_line, lines))  # pytest prints it
