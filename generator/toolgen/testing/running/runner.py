"""Test one tool: its examples, then properties that hold for every valid request."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

from toolgen.testing.checks.all_checks import CHECKS
from toolgen.testing.checks.check import Check
from toolgen.testing.checks.stream import sums_of
from toolgen.testing.inputs.requests import requests, with_defaults
from toolgen.testing.results import ActualResult, Failure, ToolReport
from toolgen.testing.running.interrupted_calls import run_cancelled, run_concurrent, run_unshown
from toolgen.testing.running.later_calls import run_examples_in_sequence, run_later_calls
from toolgen.testing.running.recorded_calls import (
    note_outcome,
    record_neighbours,
    record_reads,
    repeat_neighbours,
)
from toolgen.testing.running.tool_run import RunOptions, Stage, ToolRun
from toolgen.testing.subjects.subject import Subject, SubjectFailedError
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest


class ToolRunner:
    """Tests one tool, at once or piece by piece; each piece adds its failures."""

    def __init__(
        self,
        tool: ToolUnderTest,
        subject: Subject,
        options: RunOptions,
        *,
        tools: Sequence[ToolUnderTest] = (),
        run_async: Callable[[Coroutine[Any, Any, Any]], Any] | None = None,
    ) -> None:
        """Prepare the tests.

        `tools` are all tools of the project: values of their examples go into requests, and read-only ones
        are called after the examples of others. `run_async` runs one session; some subjects need one event
        loop for all. By default, each has its own, which no task of a tool can end.
        """
        self._run = ToolRun(tool, subject, options, tools=tools, run_async=run_async)
        self.tool, self.report = tool, self._run.report

    @property
    def failures(self) -> list[Failure]:
        """Return the failures so far."""
        return self._run.failures

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
            command = self._run.subject.command(error.call, self.tool)
            self.report.failures.append(Failure("crash", str(error), self.tool.place, command))

    def _all_pieces(self) -> Iterator[Stage]:
        run = self._run
        if run.is_left_out():
            return
        for example in self.tool.examples:
            yield "examples"
            self.run_example(example)
            if self.report.not_implemented or run.is_stuck:
                return
        if run.options.record and run.subject.has_fresh_data:
            yield "recorded"
            record_neighbours(run)
            if not run.options.examples_only:
                record_reads(run)
        if not run.options.examples_only:
            yield from run_examples_in_sequence(run)
            yield from self._run_requests()
            yield from run_later_calls(run)
            yield from run_unshown(run)
            yield from run_cancelled(run)
            yield from run_concurrent(run)

    def run_example(self, example: ExpectedCall) -> list[Failure]:
        """Make the call of an example, unless the tool is left out; return the failures that it shows."""
        run = self._run
        if run.is_left_out():
            return []
        self.report.examples += 1
        seen = run.observe(example.arguments, expected=example)
        found = _without_repetition(run.judge(seen))
        spelled_out = None if run.options.examples_only else with_defaults(self.tool, example)
        if spelled_out is not None and not found:
            variant = "with its defaults written out"
            found = run.judge(run.observe(spelled_out, expected=example, variant=variant))
        note_outcome(run, example, seen)
        step = seen.first("call")
        if step is not None and not found:
            run.known.add(step.answer.content)
            if step.has_state and self.report.examples == 1:  # fresh data: other examples begin with the same
                run.known.add_state(step.before)
            run.successes += [seen] if step.answer.error is None else []
        if found and step is not None:
            self.report.actual.append(ActualResult(example.index, step.answer.content, step.answer.error))
        self.report.failures += found
        return found

    def _run_requests(self) -> Iterator[Stage]:
        """Repeat recorded calls, then make generated requests, up to `max_calls` of these."""
        run, options = self._run, self._run.options
        calls = self.report.calls
        yield from repeat_neighbours(run)
        most = options.max_calls + self.report.calls - calls
        for request in requests(self.tool, seed=options.seed, count=options.max_calls, known=run.known):
            if self.report.calls >= most or run.is_stuck:
                break
            yield "generated"
            seen = run.observe(request)
            run.add_first(seen)
            run.successes += [seen] if seen.steps[-1].answer.error is None else []

    def finish(self) -> ToolReport:
        """Complete the report by failures of generated calls, and by what was not checked and not covered."""
        report, run = self.report, self._run
        known = {each.command for each in report.failures}  # shrinking may lead to an example
        report.failures += [each for each in run.first_failures.values() if each.command not in known]
        run.first_failures.clear()
        if not (report.calls or report.failures or run.is_left_out()):
            generated = "" if run.options.examples_only else ", and no valid request was generated"
            report.not_tested = f"there are no examples{generated}"
        if report.may_do_harm:
            return report
        for check in CHECKS:
            reason = self._reason_not_checked(check)
            if reason and check.applies(self.tool):
                report.not_checked[check.name] = reason
        if not report.not_implemented:
            report.not_covered = run.coverage.missing()
        return report

    def _reason_not_checked(self, check: Check) -> str:
        if self.report.not_implemented:
            return "the tool is not implemented"
        if check.needs_state and not self._run.subject.has_state:
            return "there is no fixture toolgen_state"
        if check.name == "stream" and self.tool.output_schema is not None and not sums_of(self.tool):
            return "no property of the response has the type of all chunks"
        return ""


def _without_repetition(failures: list[Failure]) -> list[Failure]:
    """Leave out what follows if an example does not end as its spec says."""
    checks = {each.check for each in failures}
    return [each for each in failures if each.check not in ("answers", "outcomes") or "example" not in checks]
