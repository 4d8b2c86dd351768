"""Limits of one request that contains all tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.package import RequestCost, Tool, ToolSummary
from toolgen.data.source import Span
from toolgen.data.target import Target
from toolgen.schema.dialects.anthropic import grammar_cost
from toolgen.targets.definition import StrictRequestLimits


def tool_summary(tool: Tool, targets: Sequence[Target]) -> ToolSummary:
    """Return what linking needs of a tool."""
    limited = [each for each in targets if each.definition.cache_option or each.definition.strict_limits]
    return ToolSummary(
        tool.wire_name,
        tool.py_name,
        tool.constant,
        tool.file,
        tool.exports,
        tool.aliases,
        {target.name: _cost(tool, target) for target in limited},
    )


def _cost(tool: Tool, target: Target) -> RequestCost:
    options = tool.definition.get("targets", {}).get(target.name, {})
    published = tool.published.get(target.name)
    if published is None or not published.strict:
        return RequestCost(False, 0, 0, target.definition.cache_option in options)
    cost = grammar_cost(published.input_schema)
    return RequestCost(True, cost.optional, cost.unions, target.definition.cache_option in options)


def exceeded_request_limits(
    tools: Sequence[ToolSummary], targets: Sequence[Target]
) -> tuple[Diagnostic, ...]:
    """Return a warning for each exceeded limit of a target, at the first tool that exceeds it."""
    return tuple(found for target in targets for found in _of_target(tools, target))


def _of_target(tools: Sequence[ToolSummary], target: Target) -> Iterator[Diagnostic]:
    definition = target.definition
    if target.asked and definition.max_tools is not None:
        yield from _over(target, tools, [1] * len(tools), definition.max_tools, "tools")
    if definition.cache_option:
        points = [int(tool.costs[target.name].cache_point) for tool in tools]
        yield from _over(target, tools, points, definition.max_cache_points, "cache breakpoints")
    if definition.strict_limits is not None:
        strict = [tool for tool in tools if tool.costs[target.name].strict]
        yield from _strict(target, strict, definition.strict_limits)


def _strict(
    target: Target, tools: Sequence[ToolSummary], limits: StrictRequestLimits
) -> Iterator[Diagnostic]:
    costs = [tool.costs[target.name] for tool in tools]
    optional, unions = [cost.optional for cost in costs], [cost.unions for cost in costs]
    yield from _over(target, tools, [1] * len(tools), limits.tools, "strict tools")
    yield from _over(target, tools, optional, limits.optional, "optional properties of strict tools")
    yield from _over(target, tools, unions, limits.unions, "properties of several types in strict tools")


def _over(
    target: Target, tools: Sequence[ToolSummary], amounts: Iterable[int], most: int, what: str
) -> Iterator[Diagnostic]:
    sums = list(accumulate(amounts))
    if sums and sums[-1] > most:
        first = next(tool for tool, reached in zip(tools, sums, strict=True) if reached > most)
        yield Diagnostic(
            Span(first.file, 1, 1),
            "provider-limit",
            f"{target.name}: one request takes {most} {what}; from here on there are more, {sums[-1]} in all",
            "give each request a part of them: `toolkit.select(…)`",
        )
