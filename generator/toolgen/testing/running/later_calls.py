"""Calls after other calls, which must end as they do alone, and the pages of lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.testing.calls.observation import observe_sequence
from toolgen.testing.calls.pages import find_page_fault
from toolgen.testing.calls.sequences import affected_reads, find_dependent, reads_after, stale_reads
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.results import Failure
from toolgen.testing.running.tool_run import Stage, ToolRun
from toolgen.testing.subjects.subject import Call
from toolgen.testing.tool_under_test import ExpectedCall

_MAX_SEQUENCE: Final = 12  # calls of a read-only tool after each other
_MAX_PAGED: Final = 8  # requests whose pages are read


def run_examples_in_sequence(run: ToolRun) -> Iterator[Stage]:
    """Make the calls of a read-only tool's examples one after another in one session."""
    if not run.tool.read_only:
        return
    yield "recorded"
    failed = {each.index for each in run.report.actual}
    examples = tuple(each for each in run.tool.examples if each.index not in failed)
    for seen in run.run_async(observe_sequence(run.subject, run.tool, examples)):
        run.add_first(seen)


def run_later_calls(run: ToolRun) -> Iterator[Stage]:
    """Make calls after each other that must end as they do alone, with fresh data."""
    if not run.subject.has_fresh_data or run.is_stuck:
        return
    if run.tool.read_only:
        yield "generated"
        chosen = run.successes[:-_MAX_SEQUENCE:-1]
        for each in run.run_async(find_dependent(run.subject, run.tool, chosen)):
            run.add_first(each)
        yield from _read_pages(run)
    elif run.succeeding_examples:
        yield "generated"
        _find_stale_read(run, run.succeeding_examples[0])


def _find_stale_read(run: ToolRun, write: ExpectedCall) -> None:
    """Add a failure if another tool gives an old answer after the write, because it was called before."""
    call = run.call_of(write)
    reads = reads_after(run.tool, list(run.tools.values()))
    affected = run.run_async(affected_reads(run.subject, call, reads))
    stale = run.run_async(stale_reads(run.subject, call, affected)) if affected else []
    for each in stale[:1]:
        name = each.read.tool.name
        message = f"{name} ends in another way after {write.title} if it was also called before"
        command = run.subject.command(each.read.call, each.read.tool)
        diff = diff_lines(each.expected.content, each.actual.content)
        run.first_failures["later-calls"] = Failure("later-calls", message, write.place, command, diff)


def _read_pages(run: ToolRun) -> Iterator[Stage]:
    for seen in run.successes[:_MAX_PAGED] if run.tool.pages is not None else ():
        yield "generated"
        fault = run.run_async(find_page_fault(run.subject, run.tool, seen.arguments))
        if fault is not None:
            command = run.subject.command(Call(run.tool.name, seen.arguments), run.tool)
            failure = Failure("pages", fault.message, run.tool.place, command, fault.diff)
            run.first_failures["pages"] = failure
            return
