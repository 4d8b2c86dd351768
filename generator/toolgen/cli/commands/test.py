"""Test implementations against their specs: every example, then properties that hold for every valid request.

Runs the project's code, in a process of its own. A failure comes with the command that makes the call again.
For data of their own and for snapshots of it, the tests use the functions `toolgen_toolkit` and
`toolgen_state` of tests/toolgen_fixtures.py, or of the file that `[test] fixtures` names. Without
`toolgen_toolkit`, only tools are called whose annotations promise that a call does no harm: `readOnlyHint:
true`, or `idempotentHint: true` and `destructiveHint: false`, and no `confirm`.

With --against, a running MCP server is tested instead, in whatever language it is written: its list of tools
is compared with what the specs publish, and calls go through the protocol. No code of the project runs then,
and the same tools are called, if the server's annotations also promise that calls do no harm.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from toolgen.cli.output import count, emit, emit_json, say
from toolgen.cli.parser import add_format, add_headers
from toolgen.project import UnableError
from toolgen.suggestions import did_you_mean, quoted

if TYPE_CHECKING:
    from toolgen.cli.building.project_build import Inputs
    from toolgen.cli.testing.example_update import SpecUpdate
    from toolgen.cli.testing.outcome_update import OutcomeUpdate
    from toolgen.data.diagnostic import Diagnostic
    from toolgen.data.program import Program
    from toolgen.project import Project
    from toolgen.testing.results import Failure, ToolReport
    from toolgen.testing.tool_under_test import ToolUnderTest

_MAX_NAMES = 20  # of tools that the specs do not have


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tools", metavar="TOOL", nargs="*", help="the tools to test (default: all)")
    parser.add_argument("--examples-only", action="store_true", help="make only the calls of the examples")
    parser.add_argument("--seed", default="0", help="decides which other requests are made (default: 0)")
    parser.add_argument(
        "--max-calls",
        type=int,
        default=100,
        metavar="N",
        help="make at most about N calls of each tool, beside the examples (default: 100)",
    )
    parser.add_argument(
        "--update",
        action="store_true",
        help="write into the specs how the calls of failed examples end now, after showing a diff, and "
        "record what else their calls show, in the folder `outcomes` beside the fixtures",
    )
    parser.add_argument(
        "--all-calls",
        action="store_true",
        help="also call tools that may change or destroy something, with the data that they have",
    )
    server = parser.add_argument_group("server")
    server.add_argument(
        "--against",
        metavar="COMMAND|URL",
        help="test this MCP server: its URL, or a command that starts it over stdio (quoted, or after --)",
    )
    add_headers(server)
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    from toolgen.cli.building.project_build import program_of, read_inputs
    from toolgen.testing.outcomes.recorded import with_recorded

    if args.max_calls < 0:
        raise UnableError("usage", "--max-calls must not be negative")
    if args.against is None and args.header:
        raise UnableError("usage", "--header is an option of --against URL")
    inputs = read_inputs(args.start)
    program = program_of(inputs)
    tools = _selected(program, args.tools)
    if args.against is None:
        tools = with_recorded(inputs.project, tools)
    tested = _tested(inputs, tools, _selected(program, ()), args)
    reports = tested.reports
    if args.tools:
        _refuse_not_implemented(reports, tools)
    updates: list[SpecUpdate | OutcomeUpdate] = []
    if args.update:
        updates += _update(inputs, program, reports)
        if args.against is None:  # an outcome is of data that is always the same
            updates += _record(inputs.project, tools, reports, _selected(program, ()))
    if args.format == "json":
        data = {**_as_data(reports, args.seed), "updated": [update.file for update in updates]}
        emit_json({**data, **tested.about_server})
    else:
        for update in updates:
            emit(*update.diff().split("\n"))
        _show(reports, args, tested.lines)
        for line in _how_to_test(reports, inputs.project, is_server=args.against is not None):
            say(line)
        for update in updates:
            say(update.summary)
        if not args.update and args.against is None:
            _tell_unrecorded(inputs.project, tools, reports)
    return not any(report.failures for report in reports)


def _record(
    project: Project,
    tools: Sequence[ToolUnderTest],
    reports: Sequence[ToolReport],
    all_tools: Sequence[ToolUnderTest],
) -> list[OutcomeUpdate]:
    """Record the outcomes of examples and neighbours that two runs in two processes share."""
    from toolgen.cli.testing.implementation_tests import test_implementations
    from toolgen.cli.testing.outcome_update import calls_to_repeat, plan_outcome_updates
    from toolgen.project import replace_files
    from toolgen.testing.running.tool_run import RunOptions

    again = [calls_to_repeat(tool, report) for tool, report in zip(tools, reports, strict=True)]
    options = RunOptions(examples_only=True, record=True)
    chosen = [tool for tool in again if tool.examples]
    repeated = test_implementations(project, chosen, options, all_tools=all_tools)
    _add_crashes(reports, repeated)
    is_all = len(tools) == len(all_tools)
    updates = plan_outcome_updates(project, tools, [*reports, *repeated], is_all=is_all)
    replace_files(project.root, {update.file: update.after for update in updates})
    return updates


def _add_crashes(reports: Sequence[ToolReport], repeated: Sequence[ToolReport]) -> None:
    """Add the failures of calls that only failed when they were repeated."""
    by_tool = {report.tool: report for report in reports}
    for again in repeated:
        failures = by_tool[again.tool].failures
        known = {each.check for each in failures}
        failures += [each for each in again.failures if each.check in {"answers", "crash"} - known]


def _tell_unrecorded(project: Project, tools: Sequence[ToolUnderTest], reports: Sequence[ToolReport]) -> None:
    """Say how many examples have no recorded outcome, and which records have no example any more."""
    from toolgen.cli.testing.outcome_update import stale_outcomes

    missing = sum(len(report.not_recorded) for report in reports)
    stale = stale_outcomes(project, tools)
    if missing:
        say(f"{count(missing, 'example')} without a recorded outcome; to record: toolgen test --update")
    for tool in tools:
        if tool.has_invalid_records:
            say(
                f"recorded, but no longer valid: requests in {tool.outcomes_file}; "
                "to remove: toolgen test --update"
            )
    if stale:
        say(f"recorded, but not in the specs: {', '.join(stale)}; to remove: toolgen test --update")


@dataclass(frozen=True, slots=True)
class _Tested:
    """The reports of the tools, and what is to be said about the server, if one was tested."""

    reports: list[ToolReport]
    about_server: dict[str, Any] = field(default_factory=dict)  # for JSON
    lines: tuple[str, ...] = ()


def _tested(
    inputs: Inputs,
    tools: Sequence[ToolUnderTest],
    all_tools: Sequence[ToolUnderTest],
    args: argparse.Namespace,
) -> _Tested:
    from toolgen.testing.running.tool_run import RunOptions

    options = RunOptions(args.seed, args.max_calls, args.examples_only, args.all_calls)
    if args.against is None:
        from toolgen.cli.testing.implementation_tests import test_implementations

        options = replace(options, record=args.update, find_neighbours=args.update)
        return _Tested(test_implementations(inputs.project, tools, options, all_tools=all_tools))
    from toolgen.cli.importing.mcp_client import ServerAddress
    from toolgen.cli.server_tests.run import ServerOptions, test_server

    server = ServerAddress.parse(args.against, args.header)
    found = test_server(inputs, tools, options, ServerOptions(server, tuple(args.header)))
    names = ", ".join(map(quoted, found.unknown[:_MAX_NAMES]))
    more = f" and {len(found.unknown) - _MAX_NAMES} more" if len(found.unknown) > _MAX_NAMES else ""
    lines = [f"tested: {found.server}", *found.notes]
    lines += [f"not in the specs: {names}{more}"] if found.unknown else []
    about = {"server": found.server, "not_in_specs": list(found.unknown), "notes": list(found.notes)}
    return _Tested(found.reports, about, tuple(lines))


def _update(inputs: Inputs, program: Program, reports: Sequence[ToolReport]) -> list[SpecUpdate]:
    """Update the examples in the specs, and remove the failures that are none any more."""
    from toolgen.cli.testing.example_update import plan_updates, write_updates

    updates = plan_updates(program, reports)
    write_updates(inputs.project, inputs.specs, updates)
    written = {(update.tool, index) for update in updates for index in update.updated}
    for report in reports:
        report.failures = [
            failure
            for failure in report.failures
            if failure.check != "example" or (report.tool, failure.example) not in written
        ]
    return updates


def _selected(program: Program, names: Sequence[str]) -> list[ToolUnderTest]:
    from toolgen.testing.tool_under_test import tool_under_test

    by_name = {name: tool for tool in program.tools for name in (tool.spec.name, *tool.spec.aliases)}
    for name in names:
        if name not in by_name:
            hint = did_you_mean(name, by_name) or f"the tools are {', '.join(by_name)}"
            raise UnableError("no-such-tool", f"there is no tool called '{name}'", hint)
    wanted = {by_name[name].spec.name for name in names}
    return [tool_under_test(tool) for tool in program.tools if not names or tool.spec.name in wanted]


def _refuse_not_implemented(reports: Sequence[ToolReport], tools: Sequence[ToolUnderTest]) -> None:
    """Add a failure to each tool that was to be tested by name, and has no implementation."""
    from toolgen.testing.results import Failure

    places = {tool.name: tool.place for tool in tools}
    for report in reports:
        if report.not_implemented:
            message = f"{report.tool} is not implemented"
            report.failures.append(Failure("example", message, places[report.tool]))


def _show(reports: Sequence[ToolReport], args: argparse.Namespace, about_server: Sequence[str]) -> None:
    from toolgen.cli.diagnostics import source_texts
    from toolgen.report.text import render

    shown = {failure: _diagnostic(failure) for report in reports for failure in report.failures}
    texts = source_texts(shown.values(), args.start)
    for failure, diagnostic in shown.items():
        emit(*render([diagnostic], texts).splitlines(), *(f"    {line}" for line in failure.diff))
    for report in reports:
        emit(_line(report))
        for line in _notes(report):
            emit(f"  {line}")
    for line in about_server:
        emit(line)
    results = [_result(report) for report in reports]
    failed, not_tested = results.count("failed"), results.count("not tested")
    calls = sum(report.calls for report in reports)
    verdict = f"{count(failed, 'tool')} failed" if failed else "no failures"
    verdict += f", {not_tested} not tested" if not_tested else ""
    say(f"{count(len(reports), 'tool')}, {count(calls, 'call')}, seed {args.seed}: {verdict}")


def _how_to_test(reports: Sequence[ToolReport], project: Project, *, is_server: bool) -> Iterator[str]:
    """Yield lines that say how tools can be tested whose calls may do harm."""
    from toolgen.testing.project_tools import DEFAULT_FIXTURES

    if not any(report.may_do_harm for report in reports):
        return
    if not is_server:
        yield f"to test them, give them data for tests in {project.test_fixtures or DEFAULT_FIXTURES}:"
        yield "    def toolgen_toolkit(folder):"
        yield f"        return {project.package}.catalog.toolkit(context={{...}})  # with data in `folder`"
    yield "if a tool does no harm, say so in its `annotations`: readOnlyHint: true, for example"
    data = "the server's data" if is_server else "the project's own data"
    yield f"--all-calls calls all tools, with {data}"


def _line(report: ToolReport) -> str:
    if report.not_implemented:
        return f"not implemented  {report.tool}"
    if report.not_tested and not report.failures:
        return f"not tested  {report.tool}: {report.not_tested}"
    state = "FAILED" if report.failures else "passed"
    return f"{state}  {report.tool}: {count(report.examples, 'example')}, {count(report.calls, 'call')}"


def _notes(report: ToolReport) -> list[str]:
    notes = [f"not tested: {report.not_tested}"] if report.not_tested and report.failures else []
    if report.not_covered:
        notes.append(f"not covered: {', '.join(report.not_covered)}")
    by_reason: dict[str, list[str]] = {}
    for check, reason in report.not_checked.items():
        by_reason.setdefault(reason, []).append(check)
    if not report.not_implemented:
        notes += [f"not checked: {', '.join(checks)}: {reason}" for reason, checks in by_reason.items()]
    return [*notes, *report.notes]


_CODES = {"example": "example-failed", "outcomes": "outcome-changed", "crash": "implementation-crashed"}
"""Checks with codes of their own; the others have `contract-broken`."""


def _diagnostic(failure: Failure) -> Diagnostic:
    from toolgen.data.diagnostic import Diagnostic

    code = _CODES.get(failure.check, "contract-broken")
    hint = f"to see it: {failure.command}" if failure.command else ""
    message = failure.message if code != "contract-broken" else f"{failure.check}: {failure.message}"
    return Diagnostic(failure.place, code, message, hint)


def _as_data(reports: Sequence[ToolReport], seed: str) -> dict[str, Any]:
    from toolgen.report.json import as_data

    return {
        "seed": seed,
        "tools": [
            {
                "name": report.tool,
                "result": _result(report),
                "examples": report.examples,
                "calls": report.calls,
                "not_tested": report.not_tested or None,
                "not_checked": report.not_checked,
                "not_covered": report.not_covered,
                "not_recorded": report.not_recorded,
                "notes": report.notes,
                "failures": [
                    {
                        "check": failure.check,
                        "command": failure.command,
                        "diff": list(failure.diff),
                        **as_data([_diagnostic(failure)])[0],
                    }
                    for failure in report.failures
                ],
            }
            for report in reports
        ],
    }


def _result(report: ToolReport) -> str:
    if report.failures:
        return "failed"
    if report.not_implemented:
        return "not implemented"
    return "not tested" if report.not_tested else "passed"
