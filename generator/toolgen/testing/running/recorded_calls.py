"""Recorded calls beside the examples of specs: record new ones, and repeat those of earlier runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toolgen.schema.document import JsonObject
from toolgen.testing.calls.observation import Observation, observe, observe_sequence
from toolgen.testing.outcomes.neighbours import find_followers, find_neighbours, is_fault
from toolgen.testing.outcomes.outcome import outcome_of
from toolgen.testing.running.tool_run import ToolRun
from toolgen.testing.tool_under_test import ExpectedCall, Neighbour


def note_outcome(run: ToolRun, example: ExpectedCall, seen: Observation) -> None:
    """Report the outcome of an example, or that none is recorded."""
    if not run.subject.has_fresh_data or not run.is_implemented:
        return
    if example.name not in run.tool.outcomes:
        run.not_recorded.append(example.name)
    outcome = outcome_of(seen) if run.options.record else None
    if outcome is not None:
        run.outcomes[example.name] = outcome


def record_neighbours(run: ToolRun) -> None:
    """Report the outcomes of neighbours, and of new ones near examples that have not been recorded."""
    tool, names = run.tool, {"", *(example.name for example in run.tool.examples)}
    neighbours = [each for each in tool.neighbours if {each.near, each.after} <= names]
    if run.options.find_neighbours:
        neighbours += _new_neighbours(run, neighbours)
    for each in neighbours:
        if run.is_stuck:
            return
        seen = run.observe(each.arguments, neighbour=each)
        run.add_first(seen)
        outcome = outcome_of(seen)
        if outcome is not None and not is_fault(outcome):
            run.neighbours.append(replace(each, outcome=outcome))


def _new_neighbours(run: ToolRun, recorded: Sequence[Neighbour]) -> list[Neighbour]:
    def make_call(request: JsonObject) -> JsonObject | None:
        return _try(run, Neighbour("", request, {}))

    examples = [each for each in run.tool.examples if each.name in run.not_recorded]
    found = find_neighbours(run.tool, examples, make_call, run.known)
    known = [*recorded, *found]
    # Followers are searched for once: those that are recorded are repeated.
    if not run.tool.read_only and not any(each.after for each in known):
        found += find_followers(run.tool, known, lambda each: _try(run, each))
    return found


def _try(run: ToolRun, neighbour: Neighbour) -> JsonObject | None:
    """Return the outcome of a preview and a call, nothing else; None if the tool is stuck."""
    if run.is_stuck:
        return None
    # Without these promises, no call is refused or repeated: a search makes hundreds of them.
    tool = replace(run.tool, confirms=False, idempotent=False, read_only=False)
    work = observe(run.subject, tool, neighbour.arguments, neighbour=neighbour)
    seen = run.counted(run.run_async(work))
    run.add_first(seen)
    return outcome_of(seen)


def repeat_neighbours(run: ToolRun) -> None:
    """Repeat the recorded calls, those of a read-only tool in one session."""
    if not run.subject.has_fresh_data or run.options.record:
        return
    alone = run.tool.neighbours
    if run.tool.read_only:
        seen = run.run_async(observe_sequence(run.subject, run.tool, alone))
        # A call whose outcome is another one here is made alone, too: the calls before it may be the reason.
        pairs = zip(alone, map(run.counted, seen), strict=True)
        alone = tuple(each for each, observed in pairs if run.judge(observed))
    for neighbour in alone:
        if not run.is_stuck:
            run.add_first(run.observe(neighbour.arguments, neighbour=neighbour))
