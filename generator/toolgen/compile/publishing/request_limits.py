"""Sizes and limits of one request that contains all tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import accumulate
from typing import Any, Final

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.package import RequestCost, Tool, ToolSummary
from toolgen.language.source import Span
from toolgen.language.targets.builtin import BUILT_IN, MCP
from toolgen.language.targets.definition import Target
from toolgen.runtime.adapters.published_tools import provider_tool
from toolgen.schema.dialects.published import Published
from toolgen.schema.document import subschemas
from toolgen.schema.providers import StrictRequestLimits
from toolgen.serving.listed_tool import served_tools

_LIST_RESULT: Final = len('{"tools":}')  # around the list of MCP


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
        tool.about,
        tool.secrets,
        {target.name: _cost(tool, target) for target in limited},
    )


def _cost(tool: Tool, target: Target) -> RequestCost:
    options = tool.definition.get("targets", {}).get(target.name, {})
    published = tool.published.get(target.name)
    strict = published is not None and published.strict
    optional = unions = 0
    for _, node in subschemas(published.input_schema) if published is not None and strict else ():
        optional += len(node.get("properties", {}).keys() - set(node.get("required", ())))
        unions += "anyOf" in node or isinstance(node.get("type"), list)
    return RequestCost(strict, optional, unions, target.definition.cache_option in options)


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


def total_sizes(sizes: Mapping[str, Mapping[str, int]], targets: Sequence[Target]) -> dict[str, int]:
    """Return target → bytes of its list of definitions, from those of each tool by its name.

    A list is compact JSON in UTF-8; targets without any tool have none.
    """
    # n definitions have n - 1 commas between two brackets
    return {
        target.name: sum(each[target.name] + 1 for each in sizes.values())
        + 1
        + (_LIST_RESULT if target.name == MCP.name else 0)
        for target in targets
        if target.tool_name and sizes
    }


def published_entries(tool: Tool, target: str) -> list[Any]:
    """Return what a tool adds to the list of a target, as data; for OpenAI, to that of Chat Completions."""
    definition: Any = tool.definition
    if target == MCP.name:
        return list(served_tools({tool.wire_name: definition}))
    published = tool.published[target]
    if target not in BUILT_IN:
        plain = {
            "name": published.name,
            "description": tool.description,
            "input_schema": published.input_schema,
        }
        return [{**plain, "strict": True} if published.strict else plain]
    described = provider_tool(
        definition,
        target,
        Published(published.input_schema, published.strict),
        output=published.output_schema,
        examples=published.input_examples,
    )
    # what a second one adds: lists may have entries that are there once, such as a tool that searches tools
    once, twice = (_request_definitions(target)([described] * times) for times in (1, 2))
    return list(_added(once, twice))


def _added(old: Any, new: Any) -> Iterator[Any]:
    """Yield the entries that `new` has in its lists beside those of `old`."""
    if isinstance(old, Mapping):
        for key in old:
            if old[key] != new[key]:
                yield from _added(old[key], new[key])
        return
    for one, other in zip(old, new, strict=False):
        if one != other:
            yield from _added(one, other)
    yield from new[len(old) :]


@cache
def _request_definitions(target: str) -> Callable[[Sequence[Any]], Any]:
    """Return the function that writes the definitions of a request; OpenAI's for Chat Completions."""
    names = import_module(f"toolgen.runtime.adapters.{target}").PROVIDER.module_names
    return lambda tools: next(iter(names(tools).values()))


def json_size(value: Any) -> int:
    """Return the bytes of compact JSON in UTF-8."""
    # text that is no Unicode is sent with its surrogates replaced, by as many bytes
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass"))
