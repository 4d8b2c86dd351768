"""Record the outcomes of calls: `toolgen test --update`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from toolgen.cli.line_diff import unified_diff
from toolgen.cli.output import count
from toolgen.project import Project, read_text
from toolgen.schema.document import JsonObject, value_key
from toolgen.testing.outcomes.compact import holds
from toolgen.testing.outcomes.recorded import RecordedOutcomes, outcomes_path, stale_files
from toolgen.testing.outcomes.varying import without_varying
from toolgen.testing.results import ObservedOutcome, ToolReport
from toolgen.testing.tool_under_test import Neighbour, ToolUnderTest


@dataclass(frozen=True, slots=True)
class OutcomeUpdate:
    """A file of outcomes with other content."""

    file: str  # below the project's root
    before: str | None  # None: a new file
    after: str | None  # None: it is removed

    @property
    def summary(self) -> str:
        """Return what was written, in one line."""
        if self.after is None:
            return f"removed {self.file}"
        return f"wrote {self.file}"

    def diff(self) -> str:
        """Return the change as a unified diff; of a new file, how many lines it has."""
        if self.before is None:
            return f"{self.file}: new, {count((self.after or '').count(chr(10)), 'line')}"
        before, after = self.before.splitlines(), (self.after or "").splitlines()
        return "\n".join(unified_diff(before, after, self.file, self.file, lineterm="", n=1))


def calls_to_repeat(tool: ToolUnderTest, report: ToolReport) -> ToolUnderTest:
    """Return a tool with the calls whose outcomes were seen, to see what is different the next time."""
    names = {each.example for each in report.outcomes if each.arguments is None}
    return replace(
        tool,
        outcomes={},
        examples=tuple(each for each in tool.examples if each.name in names),
        neighbours=tuple(
            Neighbour(each.example, each.arguments, each.outcome, each.after, each.tool)
            for each in report.outcomes
            if each.arguments is not None
        ),
    )


def plan_outcome_updates(
    project: Project, tools: Sequence[ToolUnderTest], reports: Iterable[ToolReport], *, is_all: bool
) -> list[OutcomeUpdate]:
    """Return the files that change. `reports` has two runs of each tool; `is_all`: there are no other tools.

    Outcomes of examples that failed are not recorded; recorded ones that still hold are left as they are.
    """
    runs: dict[str, list[ToolReport]] = {}
    for report in reports:
        runs.setdefault(report.tool, []).append(report)
    after: dict[str, str | None] = {}
    for tool in tools:
        if all(run.outcomes for run in runs[tool.name]) and len(runs[tool.name]) > 1:
            recorded = _recorded(tool, runs[tool.name])
            after[outcomes_path(project, tool.name)] = recorded.as_text() if recorded.examples else None
    if is_all:
        after |= dict.fromkeys(stale_files(project, [tool.name for tool in tools]))
    before = {path: read_text(project.root, path) for path in after}
    return [OutcomeUpdate(path, before[path], text) for path, text in after.items() if text != before[path]]


def stale_outcomes(project: Project, tools: Sequence[ToolUnderTest]) -> list[str]:
    """Return what is recorded of examples that the specs do not have."""
    found = []
    for tool in tools:
        names = {example.name for example in tool.examples}
        gone = [each for each in tool.outcomes if each not in names]
        found += [f"'{each}' in {tool.outcomes_file}" for each in gone]
    return found


def _recorded(tool: ToolUnderTest, runs: Sequence[ToolReport]) -> RecordedOutcomes:
    seen = [_by_call(run) for run in runs]
    failed = {failure.example for failure in runs[0].failures}  # those that the spec says now are gone
    examples: dict[str, JsonObject] = {}
    for example in tool.examples:
        old = tool.outcomes.get(example.name)
        call = ObservedOutcome(example.name, {})
        new = None if example.index in failed else _common(call, seen, old)
        outcome = old if new is None else new
        if outcome is not None:
            examples[example.name] = outcome
    neighbours = {_key(each): each for each in tool.neighbours if {each.near, each.after} <= {"", *examples}}
    for now in runs[0].outcomes:  # calls that fail now are not among them, and keep what was recorded
        if now.arguments is not None and now.example in examples:
            key = _key(now)
            outcome = _common(now, seen, neighbours[key].outcome if key in neighbours else None)
            if outcome is not None:
                neighbours[key] = Neighbour(now.example, now.arguments, outcome, now.after, now.tool)
    order = list(examples)
    found = sorted(neighbours.values(), key=lambda each: order.index(each.near))
    return RecordedOutcomes(_as_updated(tool, runs[0]), examples, found)


def _by_call(run: ToolReport) -> dict[object, JsonObject]:
    return {_key(each): each.outcome for each in run.outcomes}


def _as_updated(tool: ToolUnderTest, run: ToolReport) -> ToolUnderTest:
    """Return a tool with its examples as they are in the spec after this update."""
    failed = {failure.example for failure in run.failures}
    now = {each.index: each for each in run.actual if each.index not in failed}
    return tool.with_examples(
        tuple(
            replace(each, has_output=True, output=now[each.index].content) if each.index in now else each
            for each in tool.examples
        )
    )


def _key(call: ObservedOutcome | Neighbour) -> object:
    near = call.near if isinstance(call, Neighbour) else call.example
    return value_key([near, call.arguments, call.after, call.tool])


def _common(
    call: ObservedOutcome, seen: Sequence[dict[object, JsonObject]], old: JsonObject | None
) -> JsonObject | None:
    """Return the outcome that two runs share, the old one if it still holds; None if one has not seen it."""
    first, second = (each.get(_key(call)) for each in seen[:2])
    if first is None or second is None:
        return None
    if old is not None and holds(old, first) and holds(old, second):
        return old
    common: JsonObject = without_varying(first, second)
    return common if isinstance(common, dict) else None
