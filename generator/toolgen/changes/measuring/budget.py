"""Measure what models are sent, and compare it with the project's limits and its baseline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolgen.base.suggestions import quoted
from toolgen.changes.measuring.baseline import Sizes, baseline_text, growth, read_baseline, refuse_other_file
from toolgen.changes.measuring.savings import Saving, savings
from toolgen.changes.measuring.search import no_search
from toolgen.changes.measuring.units import NOUNS, O200K, measure_in
from toolgen.compile.publishing.request_limits import published_entries, target_sizes
from toolgen.language.diagnostic import Diagnostic, in_order
from toolgen.language.lint.asks import SearchedAsk, search_asks
from toolgen.language.lint.rules.unfindable_ask import unfindable
from toolgen.language.package import Tool
from toolgen.language.program import ProgramTool
from toolgen.language.source import Span
from toolgen.project import UnableError, replace_files
from toolgen.project.building.project_build import Inputs, package_of, program_of, read_inputs
from toolgen.project.inputs.configuration import Project
from toolgen.runtime.tool_search import SearchUnavailableError

_ACCEPT: Final = "make it smaller, or accept it: toolgen budget --write-baseline"


@dataclass(frozen=True, slots=True)
class Limits:
    """What sizes may be at most; None: anything."""

    tool: int | None = None  # of each tool, for each target
    total: int | None = None  # of all tools, for each target


@dataclass(frozen=True, slots=True)
class Confusion:
    """A tool that a search finds before the one that a user means."""

    tool: str  # that the user means
    sibling: str
    asks: int  # for how many asks


@dataclass(frozen=True, slots=True)
class Budget:
    """What models are sent, and what is wrong with it."""

    project: Project
    unit: str
    tools: Sizes  # by wire name
    total: Mapping[str, int]  # by target
    savings: tuple[Saving, ...]
    asks: tuple[SearchedAsk, ...]
    without_ask: int  # tools that have no example with `ask`
    faults: tuple[Diagnostic, ...]  # what exceeds a limit or the baseline
    warnings: tuple[Diagnostic, ...]  # asks that do not find their tool

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        """All that is to be shown, the faults first."""
        return (*self.faults, *self.warnings)

    @property
    def confusions(self) -> tuple[Confusion, ...]:
        """The tools that are found before others, the most often first."""
        found = Counter((each.tool, sibling) for each in self.asks for sibling in each.ahead)
        return tuple(
            Confusion(*pair, number)
            for pair, number in sorted(found.items(), key=lambda item: (-item[1], item[0]))
        )


def measure_budget(
    start: str, *, unit: str | None, limits: Limits, compares_baseline: bool = True, with_savings: bool = True
) -> Budget:
    """Measure the project at or above `start`; by its configuration, where an argument is None.

    Raises `SpecErrors` or `UnableError`.
    """
    inputs = read_inputs(start)
    project = inputs.project
    unit = unit or project.budget.unit
    limits = _with_configured(limits, unit, project)
    # before anything is measured, which may take long
    baseline = read_baseline(project, unit) if compares_baseline else None
    measure = measure_in(unit)
    program = program_of(inputs)
    tools = package_of(program, inputs).tools
    sizes = _sizes(tools, inputs, measure)
    total = _total(sizes, inputs, unit)
    places = {tool.spec.name: tool.source.value(("name",)) for tool in program.tools}
    faults = list(_over_limits(sizes, total, limits, unit, places, project))
    if baseline is not None:
        faults += [
            Diagnostic(places[name], "budget-grew", message, _ACCEPT)
            for name, message in growth(baseline, sizes, unit)
        ]
    asks = _search_asks(program.tools)
    return Budget(
        project=project,
        unit=unit,
        tools=sizes,
        total=total,
        savings=savings(tools, sizes, measure) if with_savings else (),
        asks=asks,
        without_ask=sum(not _has_ask(tool) for tool in program.tools),
        faults=in_order(faults),
        warnings=in_order(unfindable(asks)),
    )


def write_baseline(budget: Budget) -> str:
    """Write the sizes as the project's new baseline; return its name.

    Raises `UnableError` if another file is in its place.
    """
    project = budget.project
    refuse_other_file(project)
    text = baseline_text(budget.tools, budget.unit)
    replace_files(project.root, {project.budget.baseline: text})
    return project.budget.baseline


def _with_configured(limits: Limits, unit: str, project: Project) -> Limits:
    """Return the limits, those that are None from the configuration, which must be in the same unit."""
    configured = project.budget
    tool, total = limits.tool or configured.max, limits.total or configured.max_total
    uses_configured = (limits.tool, limits.total) != (tool, total)
    if uses_configured and unit != configured.unit:
        message = f"the limits in {project.file} are in '{configured.unit}', and these sizes are in '{unit}'"
        raise UnableError("usage", message, "give --max and --max-total as well, in this unit")
    return Limits(tool, total)


def _sizes(tools: Sequence[Tool], inputs: Inputs, measure: Callable[[Any], int]) -> dict[str, dict[str, int]]:
    targets = [target.name for target in inputs.targets if target.tool_name]
    return {
        tool.wire_name: {target: sum(map(measure, published_entries(tool, target))) for target in targets}
        for tool in tools
    }


def _total(sizes: Sizes, inputs: Inputs, unit: str) -> dict[str, int]:
    """Return the size of all definitions; in bytes with the list around them."""
    if unit == O200K:
        targets = dict.fromkeys(target.name for target in inputs.targets if target.tool_name)
        return {target: sum(each[target] for each in sizes.values()) for target in targets}
    with_commas = {name: {target: size + 1 for target, size in each.items()} for name, each in sizes.items()}
    return {each.target: each.bytes for each in target_sizes(with_commas, inputs.targets)}


def _over_limits(
    sizes: Sizes,
    total: Mapping[str, int],
    limits: Limits,
    unit: str,
    places: Mapping[str, Span],
    project: Project,
) -> Iterator[Diagnostic]:
    noun = NOUNS[unit]
    if limits.tool is not None:
        for name, of_tool in sizes.items():
            over = {target: size for target, size in of_tool.items() if size > limits.tool}
            if over:
                shown = ", ".join(f"{target}: {size:,}" for target, size in over.items())
                message = f"{quoted(name)} has more than {limits.tool:,} {noun}: {shown}"
                hint = "shorten descriptions, leave out the output schema, or divide the tool"
                yield Diagnostic(places[name], "budget-exceeded", message, hint)
    if limits.total is not None:
        place = project.place_in("budget", "max_total")
        for target, size in total.items():
            if size > limits.total:
                message = f"{target}: all tools have {size:,} {noun}, more than {limits.total:,}"
                hint = "the report shows what would make them smaller, and the largest tools"
                yield Diagnostic(place, "budget-exceeded", message, hint)


def _search_asks(tools: Sequence[ProgramTool]) -> tuple[SearchedAsk, ...]:
    try:
        return tuple(search_asks(tools))
    except SearchUnavailableError as error:
        raise no_search(error) from error


def _has_ask(tool: ProgramTool) -> bool:
    return any(example.ask is not None for example in tool.spec.examples)
