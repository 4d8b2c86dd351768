"""Test one tool: its examples, then properties that hold for every valid request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, Unpack

from toolgen.schema.document import JsonObject
from toolgen.schema.instances import shrink
from toolgen.testing.checks.all_checks import CHECKS
from toolgen.testing.checks.check import Check, Fault
from toolgen.testing.checks.stream import sums_of
from toolgen.testing.coverage import Coverage
from toolgen.testing.inputs import requests, with_defaults
from toolgen.testing.observation import (
    Observation,
    ObservationDetails,
    find_places_to_meet,
    observe,
    observe_cancelled,
    observe_concurrent,
    observe_sequence,
    observe_serial,
)
from toolgen.testing.outcomes.neighbours import find_followers, find_neighbours
from toolgen.testing.outcomes.outcome import outcome_of
from toolgen.testing.results import ActualResult, Failure, ObservedOutcome, ToolReport
from toolgen.testing.subject import Call, Subject, SubjectFailedError
from toolgen.testing.tool_under_test import ExpectedCall, Neighbour, ToolUnderTest

Stage = Literal["examples", "recorded", "generated", "interrupted"]
"""The stages of a run: examples; neighbours, and examples after each other; generated requests; calls that
are cancelled or made at once."""

MAX_CALLS: Final = 100
_MAX_SHRINKING: Final = 60  # calls to find a smaller request for one failure
_CONCURRENT_ROUNDS: Final = 16  # of two calls: at chosen lines of the first one, then at once
_MEETINGS: Final = 12  # lines of one call at which another one is made
_CANCELLED_AFTER: Final = (0, 1, 3, 10, 30)  # turns of the event loop


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How much is tested."""

    seed: str = "0"
    max_calls: int = MAX_CALLS  # with generated requests, of each tool
    examples_only: bool = False
    record: bool = False  # report the outcomes of examples and neighbours
    find_neighbours: bool = False  # also of new ones, of examples without a recorded outcome
    shrink: bool = True  # look for a smaller request that shows the same failure


class ToolRunner:
    """Tests one tool, at once or piece by piece; each piece adds its failures."""

    def __init__(
        self,
        tool: ToolUnderTest,
        subject: Subject,
        options: RunOptions,
        *,
        run_async: Callable[[Coroutine[Any, Any, Any]], Any] = asyncio.run,
    ) -> None:
        """Prepare the tests. `run_async` runs one session; some subjects need one event loop for all."""
        self.tool, self.subject, self.options = tool, subject, options
        self._run_async = run_async
        self.report = ToolReport(tool.name)
        self._coverage = Coverage(tool)
        self._timed_out = False
        self._found: dict[str, Failure] = {}  # first failure of each check, of calls that are no examples

    def run(self) -> ToolReport:
        """Run everything, and return the report."""
        for _ in self.pieces():
            pass
        return self.finish()

    def pieces(self) -> Iterator[Stage]:
        """Run everything piece by piece: yield the stage of each before it is run."""
        try:
            yield from self._all_pieces()
        except SubjectFailedError as error:
            command = self.subject.command(error.call, self.tool)
            self.report.failures.append(Failure("crash", str(error), self.tool.place, command))

    @property
    def failures(self) -> list[Failure]:
        """Return the failures so far."""
        return [*self.report.failures, *self._found.values()]

    def _all_pieces(self) -> Iterator[Stage]:
        for example in self.tool.examples:
            yield "examples"
            self.run_example(example)
            if self.report.not_implemented or self._is_stuck():
                return
        if self.options.record and self.subject.has_fresh_data:
            yield "recorded"
            self._record_neighbours()
        if not self.options.examples_only:
            yield from self._properties()

    def run_example(self, example: ExpectedCall) -> list[Failure]:
        """Make the call of an example; return the failures that it shows."""
        self.report.examples += 1
        seen = self._observe(example.arguments, expected=example)
        found = _without_repetition(self._judge(seen, CHECKS))
        spelled_out = None if self.options.examples_only else with_defaults(self.tool, example)
        if spelled_out is not None and not found and self._may_generate():
            variant = "with its defaults written out"
            found = self._judge(self._observe(spelled_out, expected=example, variant=variant), CHECKS)
        self._note_outcome(example, seen)
        step = seen.first("call")
        if found and step is not None:
            self.report.actual.append(ActualResult(example.index, step.answer.content, step.answer.error))
        self.report.failures += found
        return found

    def _properties(self) -> Iterator[Stage]:
        """Make all other calls; report the first failure of each check, with a small request."""
        if self.tool.read_only:
            yield "recorded"
            failed = {each.index for each in self.report.actual}
            examples = tuple(each for each in self.tool.examples if each.index not in failed)
            for seen in self._run_async(observe_sequence(self.subject, self.tool, examples)):
                self._add_first(seen)
        calls = self.report.calls
        yield from self._repeat_neighbours()
        if self._may_generate():
            most = self.options.max_calls + self.report.calls - calls
            for request in requests(self.tool, seed=self.options.seed, count=self.options.max_calls):
                if self.report.calls >= most or self._is_stuck():
                    break
                yield "generated"
                self._add_first(self._observe(request))
            yield from self._run_cancelled()
            yield from self._run_concurrent()
        known = {each.command for each in self.report.failures}  # shrinking may lead to an example
        self.report.failures += [each for each in self._found.values() if each.command not in known]
        self._found = {}

    def finish(self) -> ToolReport:
        """Complete the report by what was not checked and not covered."""
        report = self.report
        for check in CHECKS:
            reason = self._reason_not_checked(check)
            if reason and check.applies(self.tool):
                report.not_checked[check.name] = reason
        if not report.not_implemented:
            report.not_covered = self._coverage.missing()
        return report

    def _reason_not_checked(self, check: Check) -> str:
        if self.report.not_implemented:
            return "the tool is not implemented"
        if check.needs_state and not self.subject.has_state:
            return "there is no fixture toolgen_state"
        if check.name == "stream" and self.tool.output_schema is not None and not sums_of(self.tool):
            return "no property of the response has the type of all chunks"
        if self.options.examples_only or check.name in ("example", "independent-calls"):
            return ""
        reason = self.subject.only_examples(self.tool)
        return f"only examples were called: {reason}" if reason else ""

    def _may_generate(self) -> bool:
        """True if generated requests do no harm."""
        return not self.subject.only_examples(self.tool)

    def _repeat_neighbours(self) -> Iterator[Stage]:
        if self.subject.has_fresh_data and not self.options.record:
            for neighbour in self.tool.neighbours:
                if not self._is_stuck():
                    yield "recorded"
                    self._add_first(self._observe(neighbour.arguments, neighbour=neighbour))

    def _note_outcome(self, example: ExpectedCall, seen: Observation) -> None:
        """Report the outcome of an example, or that none is recorded."""
        if not self.subject.has_fresh_data or self.report.not_implemented:
            return
        if example.name not in self.tool.outcomes:
            self.report.not_recorded.append(example.name)
        outcome = outcome_of(seen) if self.options.record else None
        if outcome is not None:
            self.report.outcomes.append(ObservedOutcome(example.name, outcome))

    def _record_neighbours(self) -> None:
        """Report the outcomes of neighbours, and of new ones near examples that have not been recorded."""
        names = {"", *(example.name for example in self.tool.examples)}
        neighbours = [each for each in self.tool.neighbours if {each.near, each.after} <= names]
        if self.options.find_neighbours:
            new = [each for each in self.tool.examples if each.name in self.report.not_recorded]
            neighbours += find_neighbours(
                self.tool, new, lambda request: self._try(Neighbour("", request, {}))
            )
            if not self.tool.read_only and not any(each.after for each in neighbours):
                neighbours += find_followers(self.tool, neighbours, self._try)
        for each in neighbours:
            outcome = None if self._is_stuck() else outcome_of(self._observe(each.arguments, neighbour=each))
            if outcome is not None:
                self.report.outcomes.append(ObservedOutcome(each.near, outcome, each.arguments, each.after))

    def _try(self, neighbour: Neighbour) -> JsonObject | None:
        """Return the outcome of a preview and a call, nothing else; None if the tool is stuck."""
        tool = replace(self.tool, confirms=False, idempotent=False, read_only=False)
        if self._is_stuck():
            return None
        work = observe(self.subject, tool, neighbour.arguments, neighbour=neighbour)
        return outcome_of(self._counted(self._run_async(work)))

    def _run_cancelled(self) -> Iterator[Stage]:
        examples = [each for each in self.tool.examples if each.error is None]
        if not examples or self.tool.read_only or not self.subject.has_state:
            return
        for turns in _CANCELLED_AFTER:
            if not self._is_stuck():
                yield "interrupted"
                work = observe_cancelled(self.subject, self.tool, examples[0].arguments, turns)
                self._add_first(self._counted(self._run_async(work)))

    def _run_concurrent(self) -> Iterator[Stage]:
        examples = [each for each in self.tool.examples if each.error is None]
        if (
            not examples
            or self.tool.read_only
            or not (self.subject.has_state and self.subject.has_fresh_data)
        ):
            return
        first = examples[0].arguments
        for second in dict.fromkeys((0, min(1, len(examples) - 1))):
            yield "interrupted"
            pair = (first, examples[second].arguments)
            serial = self._run_async(observe_serial(self.subject, self.tool, pair))
            lines = self._run_async(find_places_to_meet(self.subject, self.tool, first, _MEETINGS))
            for line in (*lines, *[None] * (_CONCURRENT_ROUNDS - len(lines))):
                if not self._is_stuck() and "concurrent-calls" not in self._found:
                    yield "interrupted"
                    work = observe_concurrent(self.subject, self.tool, pair, serial, line=line)
                    self._add_first(self._counted(self._run_async(work)))

    def _observe(self, request: JsonObject, **details: Unpack[ObservationDetails]) -> Observation:
        return self._counted(self._run_async(observe(self.subject, self.tool, request, **details)))

    def _counted(self, seen: Observation) -> Observation:
        self.report.calls += seen.calls
        self._coverage.add(seen)
        self._timed_out |= "timeout" not in self.tool.errors and any(
            step.answer.error == "timeout" for step in seen.steps
        )
        step = seen.first("call")
        if step is not None and self.report.calls == seen.calls:
            self.report.not_implemented = step.answer.error == "not_implemented"
        return seen

    def _is_stuck(self) -> bool:
        """True after a call that ran out of time: the others would, too, and its thread may still run."""
        return self._timed_out

    def _judge(self, seen: Observation, checks: Iterable[Check]) -> list[Failure]:
        if self.report.not_implemented:
            return []
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

    def _add_first(self, seen: Observation) -> None:
        """Add failures of checks that have not failed before, shrunk if their request was generated."""
        for failure in self._judge(seen, CHECKS):
            if any(failure.check == each.check for each in self.failures):
                continue
            self._found[failure.check] = failure
            is_generated = seen.expected is None and seen.neighbour is None and seen.first("call") is not None
            if is_generated and self.options.shrink and not self._timed_out:
                self._found[failure.check] = self._shrunk(failure, seen.arguments)

    def _shrunk(self, failure: Failure, request: JsonObject) -> Failure:
        """Return the failure of the smallest request for which the same check fails."""
        check = next(each for each in CHECKS if each.name == failure.check)
        latest = failure

        def fails(smaller: Any) -> bool:
            nonlocal latest
            seen = self._run_async(observe(self.subject, self.tool, smaller))
            failures = self._judge(seen, [check])
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


def _without_repetition(failures: list[Failure]) -> list[Failure]:
    """Leave out what follows if an example does not end as its spec says."""
    checks = {each.check for each in failures}
    return [each for each in failures if each.check not in ("answers", "outcomes") or "example" not in checks]
