"""Recorded calls beside the examples of specs: record new ones, and repeat those of earlier runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from toolgen.schema.document import JsonObject
from toolgen.testing.calls.observation import Observation, observe
from toolgen.testing.calls.sequences import affected_reads, observe_in_one_session, reads_after
from toolgen.testing.outcomes.neighbours import find_followers, find_neighbours, is_fault
from toolgen.testing.outcomes.outcome import outcome_of
from toolgen.testing.results import ObservedOutcome
from toolgen.testing.running.tool_run import Stage, ToolRun
from toolgen.testing.tool_under_test import ExpectedCall, Neighbour


def note_outcome(run: ToolRun, example: ExpectedCall, seen: Observation) -> None:
    """Report the outcome of an example, or that none is recorded."""
    if not run.subject.has_fresh_data or run.report.not_implemented:
        return
    if example.name not in run.tool.outcomes:
        run.report.not_recorded.append(example.name)
    outcome = outcome_of(seen) if run.options.record else None
    if outcome is not None:
        run.report.outcomes.append(ObservedOutcome(example.name, outcome))


def record_neighbours(run: ToolRun) -> None:
    """Report the outcomes of neighbours, and of new ones near examples that have not been recorded."""
    tool, names = run.tool, {"", *(example.name for example in run.tool.examples)}
    neighbours = [each for each in tool.neighbours if {each.near, each.after} <= names and not each.tool]
    if run.options.find_neighbours:
        neighbours += _new_neighbours(run, neighbours)
    for each in neighbours:
        if run.is_stuck:
            return
        seen = run.observe(each.arguments, neighbour=each)
        run.add_first(seen)
        _report_outcome(run, each, seen)


def _new_neighbours(run: ToolRun, recorded: Sequence[Neighbour]) -> list[Neighbour]:
    def make_call(request: JsonObject) -> JsonObject | None:
        return _try(run, Neighbour("", request, {}))

    examples = [each for each in run.tool.examples if each.name in run.report.not_recorded]
    found = find_neighbours(run.tool, examples, make_call, run.known)
    known = [*recorded, *found]
    if not run.tool.read_only and not any(each.after for each in known):
        found += find_followers(run.tool, known, lambda each: _try(run, each))
    return found


def _try(run: ToolRun, neighbour: Neighbour) -> JsonObject | None:
    """Return the outcome of a preview and a call, nothing else; None if the tool is stuck."""
    if run.is_stuck:
        return None
    tool = replace(run.tool, confirms=False, idempotent=False, read_only=False)
    work = observe(run.subject, tool, neighbour.arguments, neighbour=neighbour)
    seen = run.counted(run.run_async(work))
    run.add_first(seen)
    return outcome_of(seen)


def record_reads(run: ToolRun) -> None:
    """Report what other tools answer after the first example, if that is different from before."""
    write = next(iter(run.succeeding_examples), None)
    if write is None or run.is_stuck or run.tool.read_only:
        return
    reads = reads_after(run.tool, list(run.tools.values()))
    for read in run.run_async(affected_reads(run.subject, run.call_of(write), reads)):
        neighbour = Neighbour(write.name, read.example.arguments, {}, tool=read.tool.name)
        _report_outcome(run, neighbour, run.observe(neighbour.arguments, neighbour=neighbour))


def _report_outcome(run: ToolRun, neighbour: Neighbour, seen: Observation) -> None:
    outcome = outcome_of(seen)
    if outcome is not None and not is_fault(outcome):
        run.report.outcomes.append(
            ObservedOutcome(neighbour.near, outcome, neighbour.arguments, neighbour.after, neighbour.tool)
        )


def repeat_neighbours(run: ToolRun) -> Iterator[Stage]:
    """Repeat the recorded calls, those of a read-only tool in one session."""
    if not run.subject.has_fresh_data or run.options.record:
        return
    alone = [each for each in run.tool.neighbours if not each.tool or each.tool in run.tools]
    if run.tool.read_only:
        yield "recorded"
        alone = _repeat_in_one_session(run, alone)
    for neighbour in alone:
        if not run.is_stuck:
            yield "recorded"
            run.add_first(run.observe(neighbour.arguments, neighbour=neighbour))


def _repeat_in_one_session(run: ToolRun, neighbours: Sequence[Neighbour]) -> list[Neighbour]:
    """Make recorded calls of a read-only tool; return those whose outcome changed, to be made alone."""
    seen = run.run_async(observe_in_one_session(run.subject, run.tool, neighbours))
    return [
        neighbour
        for neighbour, each in zip(neighbours, map(run.counted, seen), strict=True)
        if run.judge(each)
    ]
