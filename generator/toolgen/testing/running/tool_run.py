"""The state of one tool's tests: makes calls, judges them with the checks, and collects failures."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Unpack

from toolgen.proof.instances import shrink
from toolgen.runtime.execution.threads.event_loop import run_event_loop
from toolgen.schema.document import JsonObject, SchemaDocument
from toolgen.testing.calls.observation import Observation, ObservationDetails, observe
from toolgen.testing.checks.all_checks import CHECKS
from toolgen.testing.checks.check import Check, CheckFault
from toolgen.testing.inputs.known_values import KnownValues
from toolgen.testing.results import ActualResult, Failure
from toolgen.testing.subjects.subject import Call, Subject
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest

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
    record: bool = False  # report the outcomes of examples
    shrink: bool = True  # look for a smaller request that shows the same failure


@dataclass(slots=True)
class Coverage:
    """The coverage of one tool by its calls. Parameters and values count if the call succeeded."""

    tool: ToolUnderTest
    _errors: set[str] = field(default_factory=set)
    _sent: set[str] = field(default_factory=set)

    def add(self, seen: Observation) -> None:
        """Add an observation."""
        for step in seen.steps:
            if step.answer.error is not None:
                self._errors.add(step.answer.error)
            elif step.kind == "call":
                self._sent |= set(_sent(seen.arguments))

    def missing(self) -> tuple[str, ...]:
        """Return what was not shown, in the order of the spec."""
        errors = [f"error {code}" for code in self.tool.errors if code not in self._errors]
        schema = self.tool.input_schema
        document = SchemaDocument(schema if isinstance(schema, Mapping) else {}).plain
        root = document.schema
        required = root.get("required", ())
        found = list(errors)
        for name, each in root.get("properties", {}).items():
            path = json.dumps([name])
            if path not in self._sent:
                found += [] if name in required else [f"parameter {name}"]
                continue
            for value in _choices(document, each):
                if json.dumps([name, value]) not in self._sent:
                    found.append(f"{name}: {json.dumps(value, ensure_ascii=False)}")
        return tuple(found)


def _sent(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield each parameter that was sent, and each of its values, as JSON."""
    for name, value in arguments.items():
        yield json.dumps([name])
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, str | int | float | bool) or each is None:
                yield json.dumps([name, each])


def _choices(document: SchemaDocument, schema: Any) -> list[Any]:
    """Return the values of a parameter's enum, or of the enum of its items."""
    for _ in range(2):
        if isinstance(schema, Mapping) and "$ref" in schema and "enum" not in schema:
            schema = document.target(schema["$ref"]).value
        if not isinstance(schema, Mapping):
            return []
        if isinstance(schema.get("enum"), list):
            return [each for each in schema["enum"] if not isinstance(each, list | dict)]
        schema = schema.get("items")
    return []


class ToolRun:
    """The tests of one tool: its calls so far, and what they have shown."""

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
        self.run_async = run_async or _run_session
        self.known = KnownValues.of_tools([tool, *tools[:_MAX_TOOLS]])
        self.coverage = Coverage(tool)
        self.is_implemented = True  # as far as is known
        self.harm = ""  # that calls may do: then none is made
        self.examples = self.calls = 0  # that were made
        self.example_failures: list[Failure] = []  # and that of a subject which ended
        self.actual: list[ActualResult] = []  # of examples that failed
        self.not_recorded: list[str] = []  # examples without a recorded outcome
        self.outcomes: dict[str, JsonObject] = {}  # of examples, if they are to be recorded
        self.successes: list[Observation] = []  # of examples and generated requests
        self.first_failures: dict[str, Failure] = {}  # by check, of calls other than examples
        self._timed_out = False
        self.has_ended = False  # the subject: no further call can be made

    @property
    def failures(self) -> list[Failure]:
        """Return the failures so far."""
        return [*self.example_failures, *self.first_failures.values()]

    @property
    def succeeding_examples(self) -> list[ExpectedCall]:
        """Return the examples that end with a result."""
        return [each for each in self.tool.examples if each.error is None]

    @property
    def is_stuck(self) -> bool:
        """True after a call that ran out of time: the others would, too, and its thread may still run."""
        return self._timed_out

    def is_left_out(self) -> bool:
        """True if no call is made: the tool is not implemented, or a call may do harm."""
        # Not asked again after a yes or the first call: to answer, a subject may make a toolkit.
        if self.is_implemented and not self.harm and not self.calls:
            self.is_implemented = self.subject.is_implemented(self.tool)
            if self.is_implemented and not self.options.all_calls:
                self.harm = self.subject.reason_not_to_call(self.tool)
        return not self.is_implemented or bool(self.harm)

    def call_of(self, example: ExpectedCall) -> Call:
        """Return the call of an example."""
        return Call(self.tool.name, example.arguments)

    def observe(self, request: JsonObject, **details: Unpack[ObservationDetails]) -> Observation:
        """Make one request in every way, in a session of its own."""
        return self.counted(self.run_async(observe(self.subject, self.tool, request, **details)))

    def counted(self, seen: Observation) -> Observation:
        """Add an observation to the number of calls and to the coverage, and return it."""
        self.calls += len(seen.steps)
        self.coverage.add(seen)
        # A tool may declare `timeout` as an error of its own: then it has ended by itself.
        self._timed_out |= "timeout" not in self.tool.errors and any(
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
            is_generated = seen.expected is None and seen.first("call") is not None
            # A smaller request would be made alone, and this failure needs the calls before it.
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

    def _failure(self, check: Check, fault: CheckFault, seen: Observation) -> Failure:
        call = fault.call or Call(self.tool.name, seen.arguments)
        place = self.tool.place if seen.expected is None else seen.expected.place
        command = self.subject.command(call, self.tool)
        index = None if seen.expected is None else seen.expected.index
        return Failure(check.name, fault.message, place, command, fault.diff, index)


def _run_session(work: Coroutine[Any, Any, Any]) -> Any:
    return run_event_loop(lambda: work)
