"""Test one tool: its examples, then properties that hold for every valid request."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from toolgen.proof.instances import shrink
from toolgen.runtime.execution.threads.event_loop import run_event_loop
from toolgen.schema.document import JsonObject, SchemaDocument
from toolgen.testing.checks import CHECKS, Check, CheckFault, sums_of
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.neighbours import find_neighbours
from toolgen.testing.observation import (
    Observation,
    find_dependent,
    find_stale_read,
    observe,
    observe_cancelled,
    observe_concurrent,
    observe_ends,
    reads_after,
)
from toolgen.testing.outcomes import outcome_of
from toolgen.testing.pages import find_page_fault
from toolgen.testing.requests import KnownValues, is_valid, requests, with_defaults
from toolgen.testing.results import ActualResult, Failure, ToolReport
from toolgen.testing.subject import FAULTS, NO_STATE, Call, Subject, SubjectFailedError
from toolgen.testing.tool_under_test import ExpectedCall, Neighbour, ToolUnderTest
from toolgen.testing.unshown_properties import observe_unshown

MAX_CALLS: Final = 100
_MAX_SHRINKING: Final = 60  # calls to find a smaller request for one failure
MAX_TOOLS: Final = 100  # whose examples supply values, and that are called after others
_CONCURRENT_ROUNDS: Final = 16  # of two calls at once: threads do not always meet in the same place
_CANCELLED_AFTER: Final = (0, 1, 3, 10, 30)  # turns of the event loop
_MAX_SEQUENCE: Final = 12  # generated requests of a read-only tool after each other
_NEVER_RECORDED: Final = FAULTS | {"invalid_request"}
_MAX_PAGED: Final = 8  # requests whose pages are read


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How much is tested."""

    seed: str = "0"
    max_calls: int = MAX_CALLS  # with generated requests, of each tool
    examples_only: bool = False
    all_calls: bool = False  # also calls that may do harm to the data that the tools have
    record: bool = False  # report the outcomes of examples
    shrink: bool = True  # look for a smaller request that shows the same failure


class ToolRunner:
    """Tests one tool, at once or stage by stage; each stage adds its failures."""

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
        self.tool, self.subject, self.options = tool, subject, options
        self.tools = {each.name: each for each in tools}
        self.run_async = run_async or (lambda work: run_event_loop(lambda: work))
        self.known = KnownValues.of_tools([tool, *tools[:MAX_TOOLS]])
        self._ended_in: set[str] = set()  # codes of errors
        self._notes: list[str] = []
        self._sent: set[str] = set()  # parameters of calls that succeeded
        self.is_implemented = True  # as far as is known
        self.harm = ""  # that calls may do: then none is made
        self.examples = self.calls = 0  # that were made
        self.example_failures: list[Failure] = []  # and that of a subject which ended
        self.actual: list[ActualResult] = []  # of examples that failed
        self.not_recorded: list[str] = []  # examples without a recorded outcome
        self.outcomes: dict[str, JsonObject] = {}  # of examples, if they are to be recorded
        self.neighbours: list[Neighbour] = []  # with outcomes that are to be recorded
        self.passed: list[Observation] = []  # examples without failures, and generated requests that succeed
        self.first_failures: dict[str, Failure] = {}  # by check, of calls other than examples
        self.is_stuck = False  # a call ran out of time: others would, too, and its thread may still run
        self.has_ended = False  # the subject: no further call can be made

    def run(self) -> ToolReport:
        """Run everything, and return the report."""
        stages = STAGES
        if self.options.examples_only:
            stages = (_run_examples, _run_neighbours) if self.options.record else (_run_examples,)
        for stage in stages:
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
        seen = self.make(observe(self.subject, self.tool, example.arguments, expected=example))
        found = _without_repetition(self.judge(seen))
        # An example that fails would fail with its defaults for the same reason.
        spelled_out = None if self.options.examples_only else with_defaults(self.tool, example)
        if spelled_out is not None and not found:
            variant = "with its defaults written out"
            work = observe(self.subject, self.tool, spelled_out, expected=example, variant=variant)
            found = self.judge(self.make(work))
        self._note_outcome(example, seen)
        step = seen.first("call")
        if step is not None and not found:
            self.known.add(step.answer.content)
            if (
                step.after is not NO_STATE and self.examples == 1
            ):  # fresh data: other examples begin with the same
                self.known.add(step.before)
            self.passed.append(seen)
        if found and step is not None:
            self.actual.append(ActualResult(example.index, step.answer.content, step.answer.error))
        self.example_failures += found

    def run_neighbour(self, call: Neighbour) -> None:
        """Repeat a recorded call near an example, and report its outcome now if it is to be recorded."""
        seen = self.make(observe(self.subject, self.tool, call.arguments, neighbour=call))
        outcome = self._recordable(seen)
        if outcome is not None and self.options.record:
            self.neighbours.append(replace(call, outcome=outcome))

    def try_request(self, request: JsonObject) -> JsonObject | None:
        """Return the outcome of a request; None if the tool is stuck, or fails against its contract."""
        if self.is_stuck:
            return None
        # Without these promises, no call is refused or repeated: a search makes hundreds of them.
        tool = replace(self.tool, confirms=False, idempotent=False, read_only=False)
        return self._recordable(self.make(observe(self.subject, tool, request)))

    def _recordable(self, seen: Observation) -> JsonObject | None:
        """Add the failures of a call; return its outcome unless it is a fault."""
        self.add_first(seen)
        outcome = outcome_of(seen)
        is_fault = outcome is None or outcome.get("error", {}).get("code") in _NEVER_RECORDED
        return None if is_fault else outcome

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
            not_covered=tuple(self._not_covered()) if is_covered else (),
            notes=tuple(self._notes),
            not_implemented=not self.is_implemented,
            not_tested=not_tested,
            may_do_harm=bool(self.harm),
            actual=tuple(self.actual),
            not_recorded=tuple(self.not_recorded),
            outcomes=self.outcomes,
            neighbours=tuple(self.neighbours),
        )

    def _not_covered(self) -> Iterator[str]:
        """Yield the declared errors and the optional parameters that no call has shown."""
        yield from (f"error {code}" for code in self.tool.errors if code not in self._ended_in)
        schema = self.tool.input_schema
        root = SchemaDocument(schema if isinstance(schema, Mapping) else {}).plain.schema
        hidden = root.get("properties", {}).keys() - {*root.get("required", ()), *self._sent}
        yield from (f"parameter {name}" for name in root.get("properties", {}) if name in hidden)

    def _reason_not_checked(self, check: Check) -> str:
        if not self.is_implemented:
            return "the tool is not implemented"
        if check.needs_state and not self.subject.has_state:
            return "there is no fixture toolgen_state"
        if check.name == "stream" and self.tool.output_schema is not None and not sums_of(self.tool):
            return "no property of the response has the type of all chunks"
        return ""

    @property
    def failures(self) -> list[Failure]:
        """Return the failures so far."""
        return [*self.example_failures, *self.first_failures.values()]

    @property
    def succeeding_examples(self) -> list[ExpectedCall]:
        """Return the examples that end with a result."""
        return [each for each in self.tool.examples if each.error is None]

    def is_left_out(self) -> bool:
        """True if no call is made: the tool is not implemented, or a call may do harm."""
        # Not asked again after a yes or the first call: to answer, a subject may make a toolkit.
        if self.is_implemented and not self.harm and not self.calls:
            self.is_implemented = self.subject.is_implemented(self.tool)
            if self.is_implemented and not self.options.all_calls:
                self.harm = self.subject.reason_not_to_call(self.tool)
        return not self.is_implemented or bool(self.harm)

    def make(self, work: Coroutine[Any, Any, Observation]) -> Observation:
        """Make the calls of an observation."""
        return self.counted(self.run_async(work))

    def counted(self, seen: Observation) -> Observation:
        """Add an observation to the number of calls and to the coverage, and return it."""
        self.calls += len(seen.steps)
        for each in seen.steps:
            self._notes += filter(None, [each.answer.note])
            if each.answer.error is not None:
                self._ended_in.add(each.answer.error)
            elif each.kind == "call":
                self._sent |= seen.arguments.keys()
        # A tool may declare `timeout` as an error of its own: then it has ended by itself.
        self.is_stuck |= "timeout" not in self.tool.errors and any(
            step.answer.error == "timeout" for step in seen.steps
        )
        step = seen.first("call")
        if step is not None and self.calls == len(seen.steps):  # the first call of all
            self.is_implemented = step.answer.error != "not_implemented"
        return seen

    def judge(self, seen: Observation, checks: Iterable[Check] = CHECKS) -> list[Failure]:
        """Return the failures that an observation shows."""
        if not self.is_implemented:
            return []
        return [
            self._failure(check, fault, seen)
            for check in checks
            if check.applies(self.tool) and self._can_run(check)
            for fault in check.faults(self.tool, seen)
        ]

    def _can_run(self, check: Check) -> bool:
        # While outcomes are recorded, nothing is compared with those that they replace.
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
            # A smaller request would be made alone, and this failure needs the calls before it.
            is_generated &= not seen.after_others
            if is_generated and self.options.shrink and not self.is_stuck:
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

        shrink(request, fails, partial(is_valid, self.tool.input_schema), max_checks=_MAX_SHRINKING)
        return latest

    def _failure(self, check: Check, fault: CheckFault, seen: Observation) -> Failure:
        call = fault.call or Call(self.tool.name, seen.arguments)
        place = self.tool.place if seen.expected is None else seen.expected.place
        if seen.neighbour is not None:
            place = seen.neighbour.near.place
        command = self.subject.command(call, self.tool)
        index = None if seen.expected is None else seen.expected.index
        return Failure(check.name, fault.message, place, command, fault.diff, index)


def _without_repetition(failures: list[Failure]) -> list[Failure]:
    """Leave out what follows if an example does not end as its spec says."""
    checks = {each.check for each in failures}
    if "example" not in checks:
        return failures
    return [each for each in failures if each.check not in ("answers", "outcomes", "independent-calls")]


def _run_examples(run: ToolRunner) -> None:
    for example in run.tool.examples:
        if not run.is_stuck:
            run.run_example(example)


def _run_requests(run: ToolRunner) -> None:
    """Make generated requests, up to `max_calls` calls."""
    count = run.options.max_calls
    for request in requests(run.tool, seed=run.options.seed, count=count, known=run.known):
        if run.calls >= count or run.is_stuck:
            break
        seen = run.make(observe(run.subject, run.tool, request))
        run.add_first(seen)
        run.passed += [seen] if seen.steps[-1].answer.error is None else []


def _run_later_calls(run: ToolRunner) -> None:
    """Make calls after each other that must end as they do alone."""
    if run.tool.read_only:
        examples = [each for each in run.passed if each.expected is not None]
        generated = [each for each in run.passed if each.expected is None][-_MAX_SEQUENCE:]
        # Backwards, too: a call may disturb only one that was made before it.
        chosen = [*examples, *examples[::-1], *(generated if run.subject.has_fresh_data else ())]
        for each in run.run_async(find_dependent(run.subject, run.tool, chosen)):
            run.add_first(each)
    if not run.subject.has_fresh_data:
        return
    if run.tool.read_only:
        _read_pages(run)
    elif run.succeeding_examples:
        _find_stale_read(run, run.succeeding_examples[0])


def _find_stale_read(run: ToolRunner, write: ExpectedCall) -> None:
    """Add a failure if another tool gives an old answer after the write, because it was called before."""
    reads = reads_after(run.tool, run.tools.values())
    found = run.run_async(find_stale_read(run.subject, Call(run.tool.name, write.arguments), reads))
    if found is not None:
        tool = run.tools[found.read.tool]
        message = f"{tool.name} ends in another way after {write.title} if it was also called before"
        command = run.subject.command(found.read, tool)
        diff = diff_lines(found.expected.content, found.actual.content)
        run.first_failures["later-calls"] = Failure("later-calls", message, write.place, command, diff)


def _read_pages(run: ToolRunner) -> None:
    for seen in run.passed[:_MAX_PAGED] if run.tool.pages is not None else ():
        fault = run.run_async(find_page_fault(run.subject, run.tool, seen.arguments))
        if fault is not None:
            command = run.subject.command(Call(run.tool.name, seen.arguments), run.tool)
            failure = Failure("pages", fault.message, run.tool.place, command, fault.diff)
            run.first_failures["pages"] = failure
            return


def _run_unshown(run: ToolRunner) -> None:
    """Vary the first example that succeeds, and look for properties that the question does not show."""
    has_known_state = run.subject.has_state and run.subject.has_fresh_data
    if run.succeeding_examples and run.tool.confirms and has_known_state:
        work = observe_unshown(run.subject, run.tool, run.succeeding_examples[0], seed=run.options.seed)
        seen = run.run_async(work)
        if seen is not None:
            run.add_first(run.counted(seen))


def _run_disturbed(run: ToolRunner) -> None:
    """Cancel the call of the first example that succeeds, at several moments; make two calls at once."""
    calls = [Call(run.tool.name, each.arguments) for each in run.succeeding_examples]
    if not calls or run.tool.read_only or not run.subject.has_state:
        return
    ends = run.run_async(observe_ends(run.subject, calls[:1]))
    for turns in _CANCELLED_AFTER if ends else ():
        if not run.is_stuck:
            run.add_first(run.make(observe_cancelled(run.subject, calls[0], turns, ends)))
    # The first example twice, then together with the second one.
    for second in calls[:2] if run.subject.has_fresh_data else ():
        pair = [calls[0], second]
        ends = run.run_async(observe_ends(run.subject, pair))
        for _ in range(_CONCURRENT_ROUNDS if ends else 0):
            if not run.is_stuck and "concurrent-calls" not in run.first_failures:
                run.add_first(run.make(observe_concurrent(run.subject, pair, ends)))


def _run_neighbours(run: ToolRunner) -> None:
    """Repeat the recorded calls near examples; to record, find some near those that are new."""
    if not run.subject.has_fresh_data:
        return
    for each in run.tool.neighbours:
        if not run.is_stuck:
            run.run_neighbour(each)
    if run.options.record and not run.options.examples_only:
        examples = [each for each in run.tool.examples if each.name in run.not_recorded]
        run.neighbours += find_neighbours(run.tool, examples, run.known, run.try_request)


STAGES: Final[tuple[Callable[[ToolRunner], None], ...]] = (
    _run_examples,
    _run_requests,
    _run_later_calls,
    _run_unshown,
    _run_disturbed,
    _run_neighbours,
)
"""The stages of a run."""
