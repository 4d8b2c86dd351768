"""Test the tools of a project, or those of a running server; update what is expected of their calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from toolgen.language.checking.resolve import read_tools
from toolgen.language.diagnostic import Progress, no_progress
from toolgen.project import Project, load_targets, replace_files
from toolgen.project.inputs.specs import ReadProject
from toolgen.testing.processes.implementation_tests import test_implementations
from toolgen.testing.project_tools import DEFAULT_FIXTURES, find_tools
from toolgen.testing.results import Failure, FileUpdate, ProjectReport, ServerReport, ToolReport
from toolgen.testing.runner import MAX_TOOLS, RunOptions
from toolgen.testing.tool_under_test import ToolUnderTest, tool_under_test
from toolgen.testing.updated_files import (
    plan_outcome_updates,
    plan_updates,
    stale_outcomes,
    with_recorded,
    write_updates,
)

if TYPE_CHECKING:
    from toolgen.testing.server.run import ServerOptions


def run_project_tests(
    read: ReadProject,
    options: RunOptions,
    *,
    names: Sequence[str] = (),
    server: ServerOptions | None = None,
    is_update: bool = False,
    progress: Progress = no_progress,
) -> ProjectReport:
    """Test the tools with these names or aliases; all without a name.

    Args:
        read: the project; its code has been generated from these specs, unless a server is tested.
        options: which calls are made.
        names: of tools; one that is not implemented has failed.
        server: the MCP server to test; the project's implementations without one.
        is_update: write into the project how the calls end now.
        progress: is called about once a second.

    Raises:
        SpecErrors: a spec is not valid.
        UnableError: there is no such tool, no generated code, or no answer from the server.
    """
    project = read.project
    program = read_tools(read.specs, load_targets(project), f"{project.specs}/")
    by_name = {name: tool for tool in program.tools for name in (tool.spec.name, *tool.spec.aliases)}
    named = find_tools(by_name, names)
    tools = [tool_under_test(tool) for tool in program.tools if tool in named or not names]
    others = [tool_under_test(tool) for tool in program.tools[:MAX_TOOLS]]
    found: ServerReport | None = None
    updates: list[FileUpdate] = []
    if server is None:
        tools = [with_recorded(project, tool) for tool in tools]
        options = replace(options, record=is_update)
        reports = test_implementations(project, tools, options, others=others, progress=progress)
    else:
        # only the list of a server is compared with what the compiler publishes
        from toolgen.project.building.project_build import read_inputs
        from toolgen.testing.server.run import test_server

        found = test_server(read_inputs(str(project.root)), tools, options, server, progress)
        reports = list(found.reports)
    if names:
        reports = [_refuse_not_implemented(report, tool) for report, tool in zip(reports, tools, strict=True)]
    if is_update:
        updates = plan_updates(program, reports)
        write_updates(project, read.specs, updates)
        reports = [_without_updated(report, updates) for report in reports]
        if server is None:  # an outcome is of data that is always the same
            again = _repeat(project, tools, reports, others)
            reports = [_with_crash(report, again.get(report.tool)) for report in reports]
            is_all = len(tools) == len(program.tools)
            recorded = plan_outcome_updates(project, tools, reports, again, is_all=is_all)
            replace_files(project.root, {update.file: update.after for update in recorded})
            updates += recorded
    return ProjectReport(
        tools=tuple(reports),
        seed=options.seed,
        package=project.package,
        fixtures=project.test_fixtures or DEFAULT_FIXTURES,
        server=found,
        is_update=is_update,
        updates=tuple(updates),
        stale_records=tuple(stale_outcomes(tools)),
    )


def _refuse_not_implemented(report: ToolReport, tool: ToolUnderTest) -> ToolReport:
    """Return the report of a tool that was to be tested by name: it has failed without an implementation."""
    if not report.not_implemented:
        return report
    failure = Failure("example", f"{tool.name} is not implemented", tool.place)
    return replace(report, failures=(*report.failures, failure))


def _without_updated(report: ToolReport, updates: Sequence[FileUpdate]) -> ToolReport:
    """Return a report without the failures of examples that have been updated in the specs."""
    written = {index for update in updates if update.tool == report.tool for index in update.examples}
    left = [each for each in report.failures if each.check != "example" or each.example not in written]
    return replace(report, failures=tuple(left))


def _repeat(
    project: Project,
    tools: Sequence[ToolUnderTest],
    reports: Sequence[ToolReport],
    others: Sequence[ToolUnderTest],
) -> dict[str, ToolReport]:
    """Return the reports on the same calls in another process, which show what varies, by tool."""
    options = RunOptions(examples_only=True, record=True)
    again = [
        replace(
            tool,
            examples=tuple(each for each in tool.examples if each.name in report.outcomes),
            neighbours=report.neighbours,
        )
        for tool, report in zip(tools, reports, strict=True)
        if report.outcomes
    ]
    repeated = test_implementations(project, again, options, others=others, progress=no_progress)
    return {report.tool: report for report in repeated}


def _with_crash(report: ToolReport, again: ToolReport | None) -> ToolReport:
    """Return a report with the failures of calls that only failed when they were repeated."""
    wanted = {"answers", "crash"} - {each.check for each in report.failures}
    found = [] if again is None else [each for each in again.failures if each.check in wanted]
    return replace(report, failures=(*report.failures, *found))
