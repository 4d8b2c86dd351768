"""Measure what models are sent, and compare it with the limits and the baseline of a project."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from toolgen.base.suggestions import quoted
from toolgen.compile.publishing.request_limits import json_size, published_entries, total_sizes
from toolgen.language.diagnostic import Diagnostic, in_order
from toolgen.language.lint.asks import SearchedAsk, search_asks
from toolgen.language.lint.rules.texts import unfindable
from toolgen.language.package import Tool
from toolgen.language.source import Span
from toolgen.project import UnableError, replace_files
from toolgen.project.building.project_build import Inputs, package_of, program_of, read_inputs
from toolgen.project.files.reading import read_text
from toolgen.project.inputs.configuration import Project
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.json_source import read_json_documents

BYTES: Final = "bytes"
O200K: Final = "o200k"
UNITS: Final = (BYTES, O200K)
NOUNS: Final = {BYTES: "bytes", O200K: "tokens"}

_MAX_PIECE: Final = 50_000  # characters, of at most four tokens each; bpe-openai refuses 200,000 tokens


def measure_in(unit: str) -> Callable[[Any], int]:
    """Return the function that measures JSON data, written compactly, in a unit.

    Raises `UnableError` if the package with the vocabulary is not installed.
    """
    if unit == BYTES:
        return json_size
    encode = _encoder()
    return lambda value: count_tokens(compact_text(value), encode)


def text_measures() -> dict[str, Callable[[str], int]]:
    """Return the functions that measure text, by unit: those whose packages are installed."""
    measures: dict[str, Callable[[str], int]] = {BYTES: lambda text: len(text.encode())}
    with suppress(UnableError):
        encode = _encoder()
        measures[O200K] = lambda text: count_tokens(text, encode)
    return measures


def compact_text(value: Any) -> str:
    """Return JSON data as it is sent."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="replace").decode()  # a lone surrogate cannot be sent


def count_tokens(text: str, encode: Callable[[str], list[int]]) -> int:
    """Return the number of tokens. Texts too long for the encoder are cut: one token more at each cut."""
    pieces = (text[start : start + _MAX_PIECE] for start in range(0, len(text), _MAX_PIECE))
    return sum(len(encode(piece)) for piece in pieces)


@cache
def _encoder() -> Callable[[str], list[int]]:
    """Return the function that encodes text without special tokens: a text that names one is only a text."""
    try:
        # of the extra `tokens`
        from bpe_openai import get_encoding  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        if error.name != "bpe_openai":
            raise
        message = "the unit 'o200k' needs the package bpe-openai, which has OpenAI's vocabulary"
        raise UnableError("not-installed", message, "pip install 'toolgen[tokens]'") from error
    encode: Callable[[str], list[int]] = get_encoding("o200k_base").encode_ordinary
    return encode


_ACCEPT: Final = "make it smaller, or accept it: toolgen budget --write-baseline"


@dataclass(frozen=True, slots=True)
class Limits:
    """What sizes may be at most; None: anything."""

    tool: int | None = None  # of each tool, for each target
    total: int | None = None  # of all tools, for each target


@dataclass(frozen=True, slots=True)
class Budget:
    """What models are sent, and what is wrong with it."""

    project: Project
    unit: str
    tools: Sizes  # by wire name
    total: Mapping[str, int]  # by target
    asks: tuple[SearchedAsk, ...]
    without_ask: int  # tools that have no example with `ask`
    faults: tuple[Diagnostic, ...]  # what exceeds a limit or the baseline
    warnings: tuple[Diagnostic, ...]  # asks that do not find their tool

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        """All that is to be shown, the faults first."""
        return (*self.faults, *self.warnings)

    @property
    def confusions(self) -> list[tuple[tuple[str, str], int]]:
        """Return each tool that users mean with one that is found before it, and for how many asks."""
        found = Counter((each.tool, sibling) for each in self.asks for sibling in each.ahead)
        return sorted(found.items(), key=lambda item: (-item[1], item[0]))


def measure_budget(start: str, *, unit: str | None, limits: Limits, compares_baseline: bool = True) -> Budget:
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
    asks = tuple(search_asks(program.tools))
    return Budget(
        project=project,
        unit=unit,
        tools=sizes,
        total=total,
        asks=asks,
        without_ask=sum(all(each.ask is None for each in tool.spec.examples) for tool in program.tools),
        faults=in_order(faults),
        warnings=in_order(unfindable(asks)),
    )


def write_baseline(budget: Budget) -> str:
    """Write the sizes as the project's new baseline; return its name.

    Raises `UnableError` if another file is in its place.
    """
    project, name = budget.project, budget.project.budget.baseline
    there = read_text(project.root, name)
    if there is not None and f'"{_KEY}"' not in there:
        raise _not_a_baseline(name)
    replace_files(project.root, {name: baseline_text(budget.tools, budget.unit)})
    return name


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
    return total_sizes(sizes, inputs.targets)


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
                hint = "the report shows the largest tools first; shorten these"
                yield Diagnostic(place, "budget-exceeded", message, hint)


# The baseline

VERSION: Final = 1
_KEY: Final = "toolgen_budget"
_AGAIN: Final = "toolgen budget --write-baseline"

Sizes = Mapping[str, Mapping[str, int]]
"""Wire name of a tool → target → size."""


def baseline_text(sizes: Sizes, unit: str) -> str:
    """Return the content of a baseline: one tool a line, so that branches that change two tools merge."""
    tools = ",\n".join(f"    {json.dumps(name)}: {json.dumps(dict(sizes[name]))}" for name in sorted(sizes))
    return f'{{\n  "{_KEY}": {VERSION},\n  "unit": {json.dumps(unit)},\n  "tools": {{\n{tools}\n  }}\n}}\n'


def read_baseline(project: Project, unit: str) -> Sizes | None:
    """Return the sizes in the project's baseline; None if there is no such file.

    Raises `UnableError` if it is of another unit or version, or no baseline, or if the configuration names a
    file that is not there.
    """
    name = project.budget.baseline
    text = read_text(project.root, name)
    if text is None:
        if project.budget.is_baseline_set:
            message = f"there is no file {name}, which 'baseline' in {project.file} names"
            raise UnableError("unreadable-file", message, f"write it: {_AGAIN}")
        return None
    try:
        data: Any = read_json_documents(text.encode(), name)[0].value
    except SourceError as error:
        hint = f"restore it from version control, or remove it and write it again: {_AGAIN}"
        raise UnableError("bad-baseline", error.message, hint) from error
    if not isinstance(data, dict) or data.get(_KEY) != VERSION or not _are_sizes(data.get("tools")):
        raise _not_a_baseline(name)
    if data.get("unit") != unit:
        message = f"{name} is in {quoted(str(data.get('unit')))}, and these sizes are in '{unit}'"
        measure = f"measure with --unit {data['unit']}, or " if data.get("unit") in UNITS else ""
        raise UnableError("bad-baseline", message, f"{measure}write it again: {_AGAIN}")
    tools: Sizes = data["tools"]
    return tools


def growth(old: Sizes, new: Sizes, unit: str) -> Iterator[tuple[str, str]]:
    """Yield the name of each tool that is larger than in the baseline, and by how much for which targets."""
    for name, sizes in new.items():
        before = old.get(name, {})
        grown = {target: size for target, size in sizes.items() if size > before.get(target, 0)}
        if name not in old and grown:
            most = ", ".join(f"{target}: {size:,}" for target, size in grown.items())
            yield name, f"{quoted(name)} is new: {NOUNS[unit]} for {most}"
        elif grown:
            changes = (
                f"{target}: {before.get(target, 0):,} → {size:,} (+{size - before.get(target, 0):,})"
                for target, size in grown.items()
            )
            yield name, f"{quoted(name)} grew: {NOUNS[unit]} for {', '.join(changes)}"


def _are_sizes(tools: Any) -> bool:
    return isinstance(tools, dict) and all(
        isinstance(sizes, dict) and all(type(size) is int for size in sizes.values())
        for sizes in tools.values()
    )


def _not_a_baseline(name: str) -> UnableError:
    message = f"{name} is not a baseline in the format {VERSION}, which this toolgen reads"
    hint = f"name another file as `baseline` in [budget], or remove it and write it again: {_AGAIN}"
    return UnableError("bad-baseline", message, hint)
