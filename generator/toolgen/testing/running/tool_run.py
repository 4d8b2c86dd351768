"""The state of one tool's tests: makes calls, judges them with the checks, and collects failures."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Unpack

from toolgen.runtime.execution.threads.event_loop import run_event_loop
from toolgen.schema.document import JsonObject
from toolgen.schema.instances import shrink
from toolgen.testing.calls.observation import Observation, ObservationDetails, observe
from toolgen.testing.checks.all_checks import CHECKS
from toolgen.testing.checks.check import Check, Fault
from toolgen.testing.inputs.known_values import KnownValues
from toolgen.testing.results import Failure, ToolReport
from toolgen.testing.running.coverage import Coverage
from toolgen.testing.subjects.subject import Call, Subject
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest

Stage = Literal["examples", "recorded", "generated", "interrupted"]
"""The stages of a run: examples; neighbours, and examples after each other; generated requests; calls that
are cancelled or made at once."""

MAX_CALLS: Final = 100
_MAX_SHRINKING: Final = 60  # calls to find a smaller request for one failure
_MAX_TOOLS: Final = 100  # whose examples supply values


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How much is tested."""

    seed: str = "0"
    max_calls: int = MAX_CALLS  # with generated requests, of each tool
    examples_only: bool = False
    all_calls: bool = False  # also calls that may do harm to the data that the tools have
    record: bool = False  # report the outcomes of examples and neighbours
    find_neighbours: bool = False  # also of new ones, of examples without a recorded outcome
    shrink: bool = True  # look for a smaller request that shows the same failure


class ToolRun:
    """The tests of one tool: its calls so far, and what they have shown."""

    def __init__(
        self,
        tool: ToolUnderTest,
        subject: Subject,
        options: RunOptions,
        *,
        tools: Sequence[ToolUnderTest],
        run_async: Callable[[Coroutine[Any, Any, Any]], Any] | None,
    ) -> None:
        self.tool, self.subject, self.options = tool, subject, options
        self.tools = {each.name: each for each in tools}
        self.run_async = run_async or _run_session
        self.known = KnownValues.of_tools([tool, *tools[:_MAX_TOOLS]])
        self.report = ToolReport(tool.name)
        self.coverage = Coverage(tool)
        self.successes: list[Observation] = []  # of examples and generated requests
        self.first_failures: dict[str, Failure] = {}  # by check, of calls other than examples
        self._timed_out = False

    @property
    def failures(self) -> list[Failure]:
        """Return the failures so far."""
        return [*self.report.failures, *self.first_failures.values()]

    @property
    def succeeding_examples(self) -> list[ExpectedCall]:
        """Return the examples that end with a result."""
        return [each for each in self.tool.examples if each.error is None]

    @property
    def is_stuck(self) -> bool:
        """True after a call that ran out of time: the others would, too, and its thread may still run."""
        return self._timed_out

    def is_left_out(self) -> bool:
        """True if no call is made: the tool is not implemented, or a call may do harm; see the report."""
        report = self.report
        if not (report.not_implemented or report.not_tested or report.calls):
            report.not_implemented = not self.subject.is_implemented(self.tool)
            if not report.not_implemented and not self.options.all_calls:
                report.not_tested = self.subject.reason_not_to_call(self.tool)
                report.may_do_harm = bool(report.not_tested)
        return report.not_implemented or bool(report.not_tested)

    def call_of(self, example: ExpectedCall) -> Call:
        """Return the call of an example."""
        return Call(self.tool.name, example.arguments)

    def observe(self, request: JsonObject, **details: Unpack[ObservationDetails]) -> Observation:
        """Make one request in every way, in a session of its own."""
        return self.counted(self.run_async(observe(self.subject, self.tool, request, **details)))

    def counted(self, seen: Observation) -> Observation:
        """Add an observation to the numbers of the report and to the coverage, and return it."""
        self.report.calls += seen.calls
        if seen.neighbour is None or not seen.neighbour.tool:
            self.coverage.add(seen)
        self._timed_out |= "timeout" not in self.tool.errors and any(
            step.answer.error == "timeout" for step in seen.steps
        )
        step = seen.first("call")
        if step is not None and self.report.calls == seen.calls:  # the first call of all
            self.report.not_implemented = step.answer.error == "not_implemented"
        return seen

    def judge(self, seen: Observation, checks: Iterable[Check] = CHECKS) -> list[Failure]:
        """Return the failures that an observation shows."""
        if self.report.not_implemented:
            return []
        if seen.neighbour is not None and seen.neighbour.tool:
            checks = [check for check in checks if check.name == "outcomes"]  # another tool answered
        return [
            self._failure(check, fault, seen)
            for check in checks
            if check.applies(self.tool) and self._can_run(check)
            for fault in check.faults(self.tool, seen)
        ]

    def _can_run(self, check: Check) -> bool:
        has_fresh_data = self.subject.has_fresh_data and not self.options.record
        return (self.subject.has_state or not check.needs_state) and (
            has_fresh_data or not check.needs_fresh_data
        )

    def add_first(self, seen: Observation) -> None:
        """Add failures of checks that have not failed before, shrunk if their request was generated."""
        for failure in self.judge(seen):
            if any(failure.check == each.check for each in self.failures):
                continue
            self.first_failures[failure.check] = failure
            is_generated = seen.expected is None and seen.neighbour is None and seen.first("call") is not None
            is_generated &= not seen.after_others
            if is_generated and self.options.shrink and not self._timed_out:
                self.first_failures[failure.check] = self._shrunk(failure, seen.arguments)

    def _shrunk(self, failure: Failure, request: JsonObject) -> Failure:
        """Return the failure of the smallest request for which the same check fails."""
        check = next(each for each in CHECKS if each.name == failure.check)
        latest = failure

        def fails(smaller: Any) -> bool:
            nonlocal latest
            seen = self.run_async(observe(self.subject, self.tool, smaller))
            failures = self.judge(seen, [check])
            if failures:
                latest = failures[0]
            return bool(failures)

        shrink(request, fails, self.tool.input_schema, max_checks=_MAX_SHRINKING)
        return latest

    def _failure(self, check: Check, fault: Fault, seen: Observation) -> Failure:
        call = fault.call or Call(self.tool.name, seen.arguments)
        place = self.tool.place if seen.expected is None else seen.expected.place
        if seen.neighbour is not None:
            place = self.tool.place_of(seen.neighbour.near)
        command = self.subject.command(call, self.tool)
        index = None if seen.expected is None else seen.expected.index
        return Failure(check.name, fault.message, place, command, fault.diff, index)


def _run_session(work: Coroutine[Any, Any, Any]) -> Any:
    return run_event_loop(lambda: work)
