"""Calls that show what can go wrong with a write: unshown properties, cancellation, two calls at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.testing.calls.observation import (
    find_places_to_meet,
    observe_cancelled,
    observe_concurrent,
    observe_serial,
)
from toolgen.testing.calls.unshown_properties import observe_unshown
from toolgen.testing.running.tool_run import Stage, ToolRun

CONCURRENT_ROUNDS: Final = 16  # of two calls: at chosen lines of the first one, then at once
_MEETINGS: Final = 12  # lines of one call at which another one is made
_CANCELLED_AFTER: Final = (0, 1, 3, 10, 30)  # turns of the event loop


def run_unshown(run: ToolRun) -> Iterator[Stage]:
    """Vary the first example that succeeds, and look for properties that the question does not show."""
    has_known_state = run.subject.has_state and run.subject.has_fresh_data
    if run.succeeding_examples and run.tool.confirms and has_known_state and not run.is_stuck:
        yield "interrupted"
        work = observe_unshown(run.subject, run.tool, run.succeeding_examples[0], seed=run.options.seed)
        seen = run.run_async(work)
        if seen is not None:
            run.add_first(run.counted(seen))


def run_cancelled(run: ToolRun) -> Iterator[Stage]:
    """Cancel the call of the first example that succeeds, at several moments."""
    if not run.succeeding_examples or run.tool.read_only or not run.subject.has_state:
        return
    for turns in _CANCELLED_AFTER:
        if not run.is_stuck:
            yield "interrupted"
            arguments = run.succeeding_examples[0].arguments
            work = observe_cancelled(run.subject, run.tool, arguments, turns)
            run.add_first(run.counted(run.run_async(work)))


def run_concurrent(run: ToolRun) -> Iterator[Stage]:
    """Make the first example that succeeds twice at once, then together with the second one."""
    examples, subject = run.succeeding_examples, run.subject
    if not examples or run.tool.read_only or not (subject.has_state and subject.has_fresh_data):
        return
    first = examples[0].arguments
    for second in dict.fromkeys((0, min(1, len(examples) - 1))):
        yield "interrupted"
        pair = (first, examples[second].arguments)
        serial = run.run_async(observe_serial(subject, run.tool, pair))
        lines = run.run_async(find_places_to_meet(subject, run.tool, first, _MEETINGS))
        for line in (*lines, *[None] * (CONCURRENT_ROUNDS - len(lines))):
            if not run.is_stuck and "concurrent-calls" not in run.first_failures:
                yield "interrupted"
                work = observe_concurrent(subject, run.tool, pair, serial, line=line)
                run.add_first(run.counted(run.run_async(work)))
