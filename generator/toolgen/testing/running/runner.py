"""Test one tool: its examples, then properties that hold for every valid request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from toolgen.testing.calls.observation import (
    Observation,
    observe_cancelled,
    observe_concurrent,
    observe_sequence,
    observe_serial,
)
from toolgen.testing.calls.pages import find_page_fault
from toolgen.testing.calls.sequences import affected_reads, find_dependent, reads_after, stale_reads
from toolgen.testing.calls.unshown_properties import observe_unshown
from toolgen.testing.checks.all_checks import CHECKS
from toolgen.testing.checks.answers import sums_of
from toolgen.testing.checks.check import Check
from toolgen.testing.inputs.requests import requests, with_defaults
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.outcomes import outcome_of
from toolgen.testing.results import ActualResult, Failure, ToolReport
from toolgen.testing.running.tool_run import ToolRun
from toolgen.testing.subjects.subject import Call, SubjectFailedError
from toolgen.testing.tool_under_test import ExpectedCall

_CONCURRENT_ROUNDS: Final = 16  # of two calls at once: threads do not always meet in the same place
_CANCELLED_AFTER: Final = (0, 1, 3, 10, 30)  # turns of the event loop
_MAX_SEQUENCE: Final = 12  # calls of a read-only tool after each other
_MAX_PAGED: Final = 8  # requests whose pages are read


class ToolRunner(ToolRun):
    """Tests one tool, at once or stage by stage; each stage adds its failures."""

    def run(self) -> ToolReport:
        """Run everything, and return the report."""
        for stage in STAGES[:1] if self.options.examples_only else STAGES:
            self.run_stage(stage)
        return self.report()

    def run_stage(self, stage: Callable[[ToolRunner], None]) -> None:
        """Run one of `STAGES`, unless an earlier one has shown that the tool cannot be tested further."""
        if self.is_left_out() or self.is_stuck or self.has_ended:
            return
        try:
            stage(self)
        except SubjectFailedError as error:
            self.has_ended = True
            command = self.subject.command(error.call, self.tool)
            self.example_failures.append(Failure("crash", str(error), self.tool.place, command))

    def run_example(self, example: ExpectedCall) -> None:
        """Make the call of an example, unless the tool is left out, and add the failures that it shows."""
        if self.is_left_out():
            return
        self.examples += 1
        seen = self.observe(example.arguments, expected=example)
        found = _without_repetition(self.judge(seen))
        # An example that fails would fail with its defaults for the same reason.
        spelled_out = None if self.options.examples_only else with_defaults(self.tool, example)
        if spelled_out is not None and not found:
            variant = "with its defaults written out"
            found = self.judge(self.observe(spelled_out, expected=example, variant=variant))
        self._note_outcome(example, seen)
        step = seen.first("call")
        if step is not None and not found:
            self.known.add(step.answer.content)
            if step.has_state and self.examples == 1:  # fresh data: other examples begin with the same
                self.known.add(step.before)
            self.successes += [seen] if step.answer.error is None else []
        if found and step is not None:
            self.actual.append(ActualResult(example.index, step.answer.content, step.answer.error))
        self.example_failures += found

    def _note_outcome(self, example: ExpectedCall, seen: Observation) -> None:
        """Report the outcome of an example, or that none is recorded."""
        if not self.subject.has_fresh_data or not self.is_implemented:
            return
        if example.name not in self.tool.outcomes:
            self.not_recorded.append(example.name)
        outcome = outcome_of(seen) if self.options.record else None
        if outcome is not None:
            self.outcomes[example.name] = outcome

    def report(self) -> ToolReport:
        """Return what was found, and what was not checked and not covered."""
        known = {each.command for each in self.example_failures}  # shrinking may lead to an example
        found = [each for each in self.first_failures.values() if each.command not in known]
        failures = (*self.example_failures, *found)
        not_tested = self.harm
        if not (self.calls or failures or self.is_left_out()):
            generated = "" if self.options.examples_only else ", and no valid request was generated"
            not_tested = f"there are no examples{generated}"
        # Where calls may do harm, why none was made is said once, not again for each check.
        reasons = {each.name: self._reason_not_checked(each) for each in CHECKS if each.applies(self.tool)}
        is_covered = self.is_implemented and not self.harm
        return ToolReport(
            self.tool.name,
            examples=self.examples,
            calls=self.calls,
            failures=failures,
            not_checked={} if self.harm else {name: why for name, why in reasons.items() if why},
            not_covered=self.coverage.missing() if is_covered else (),
            not_implemented=not self.is_implemented,
            not_tested=not_tested,
            may_do_harm=bool(self.harm),
            actual=tuple(self.actual),
            not_recorded=tuple(self.not_recorded),
            outcomes=self.outcomes,
        )

    def _reason_not_checked(self, check: Check) -> str:
        if not self.is_implemented:
            return "the tool is not implemented"
        if check.needs_state and not self.subject.has_state:
            return "there is no fixture toolgen_state"
        if check.name == "stream" and self.tool.output_schema is not None and not sums_of(self.tool):
            return "no property of the response has the type of all chunks"
        return ""


def _without_repetition(failures: list[Failure]) -> list[Failure]:
    """Leave out what follows if an example does not end as its spec says."""
    checks = {each.check for each in failures}
    return [each for each in failures if each.check not in ("answers", "outcomes") or "example" not in checks]


def _run_examples(run: ToolRunner) -> None:
    for example in run.tool.examples:
        if not run.is_stuck:
            run.run_example(example)


def _run_requests(run: ToolRun) -> None:
    """Make generated requests, up to `max_calls` calls."""
    count = run.options.max_calls
    most = count + run.calls
    for request in requests(run.tool, seed=run.options.seed, count=count, known=run.known):
        if run.calls >= most or run.is_stuck:
            break
        seen = run.observe(request)
        run.add_first(seen)
        run.successes += [seen] if seen.steps[-1].answer.error is None else []


def _run_examples_in_sequence(run: ToolRun) -> None:
    """Make the calls of a read-only tool's examples one after another in one session."""
    if not run.tool.read_only:
        return
    # An example that fails alone fails here, too, and would be reported twice.
    failed = {each.index for each in run.actual}
    examples = [each for each in run.tool.examples if each.index not in failed]
    # Backwards, too: a call may disturb only one that was made before it.
    for seen in run.run_async(observe_sequence(run.subject, run.tool, [*examples, *examples[::-1]])):
        run.add_first(seen)


def _run_later_calls(run: ToolRun) -> None:
    """Make calls after each other that must end as they do alone, with fresh data."""
    if not run.subject.has_fresh_data:
        return
    if run.tool.read_only:
        # The last ones: examples are at the beginning, and were made in sequence already.
        chosen = run.successes[:-_MAX_SEQUENCE:-1]
        for each in run.run_async(find_dependent(run.subject, run.tool, chosen)):
            run.add_first(each)
        _read_pages(run)
    elif run.succeeding_examples:
        _find_stale_read(run, run.succeeding_examples[0])


def _find_stale_read(run: ToolRun, write: ExpectedCall) -> None:
    """Add a failure if another tool gives an old answer after the write, because it was called before."""
    call = run.call_of(write)
    reads = reads_after(run.tool, list(run.tools.values()))
    affected = run.run_async(affected_reads(run.subject, call, reads))
    stale = run.run_async(stale_reads(run.subject, call, affected)) if affected else []
    # One is enough: a cache that no write empties makes every read stale.
    for each in stale[:1]:
        name = each.read.tool.name
        message = f"{name} ends in another way after {write.title} if it was also called before"
        command = run.subject.command(each.read.call, each.read.tool)
        diff = diff_lines(each.expected.content, each.actual.content)
        run.first_failures["later-calls"] = Failure("later-calls", message, write.place, command, diff)


def _read_pages(run: ToolRun) -> None:
    for seen in run.successes[:_MAX_PAGED] if run.tool.pages is not None else ():
        fault = run.run_async(find_page_fault(run.subject, run.tool, seen.arguments))
        if fault is not None:
            command = run.subject.command(Call(run.tool.name, seen.arguments), run.tool)
            failure = Failure("pages", fault.message, run.tool.place, command, fault.diff)
            run.first_failures["pages"] = failure
            return


def _run_unshown(run: ToolRun) -> None:
    """Vary the first example that succeeds, and look for properties that the question does not show."""
    has_known_state = run.subject.has_state and run.subject.has_fresh_data
    if run.succeeding_examples and run.tool.confirms and has_known_state:
        work = observe_unshown(run.subject, run.tool, run.succeeding_examples[0], seed=run.options.seed)
        seen = run.run_async(work)
        if seen is not None:
            run.add_first(run.counted(seen))


def _run_cancelled(run: ToolRun) -> None:
    """Cancel the call of the first example that succeeds, at several moments."""
    if not run.succeeding_examples or run.tool.read_only or not run.subject.has_state:
        return
    for turns in _CANCELLED_AFTER:
        if not run.is_stuck:
            arguments = run.succeeding_examples[0].arguments
            work = observe_cancelled(run.subject, run.tool, arguments, turns)
            run.add_first(run.counted(run.run_async(work)))


def _run_concurrent(run: ToolRun) -> None:
    """Make the first example that succeeds twice at once, then together with the second one."""
    examples, subject = run.succeeding_examples, run.subject
    if not examples or run.tool.read_only or not (subject.has_state and subject.has_fresh_data):
        return
    first = examples[0].arguments
    # With a single example, both pairs are the same.
    for second in dict.fromkeys((0, min(1, len(examples) - 1))):
        pair = (first, examples[second].arguments)
        serial = run.run_async(observe_serial(subject, run.tool, pair))
        for _ in range(_CONCURRENT_ROUNDS):
            if not run.is_stuck and "concurrent-calls" not in run.first_failures:
                work = observe_concurrent(subject, run.tool, pair, serial)
                run.add_first(run.counted(run.run_async(work)))


STAGES: Final[tuple[Callable[[ToolRunner], None], ...]] = (
    _run_examples,
    _run_examples_in_sequence,
    _run_requests,
    _run_later_calls,
    _run_unshown,
    _run_cancelled,
    _run_concurrent,
)
"""The stages of a run. The first one makes the calls of examples only."""
