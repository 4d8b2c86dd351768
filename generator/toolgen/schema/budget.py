"""How much work a stranger's input may cause: one set of limits, and what exceeds it in a schema.

All limits but the last are counted, so that the same input gets the same verdict on every machine. They are
listed in docs/limits.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from toolgen.schema.document import Path, subschemas
from toolgen.schema.graph import Graph, Node
from toolgen.schema.patterns import compiled_bytes


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one input. The defaults are far above what published tools have."""

    spec_bytes: int = 4 * 1024 * 1024  # of one file below the specs folder
    import_bytes: int = 64 * 1024 * 1024  # of one source of an import, after decoding
    tools: int = 10_000  # of one source of an import
    nodes: int = 50_000  # subschemas of one schema
    properties: int = 5_000  # of one object; also the names in one `required`
    values: int = 10_000  # of one `enum`
    branches: int = 500  # of one `anyOf`, `oneOf`, `allOf`
    name: int = 1_000  # characters of a property's name
    pattern: int = 10_000  # characters of a pattern
    pattern_bytes: int = 150_000_000  # that the patterns of one schema come to when they are compiled
    references: int = 40  # one after another, without a step into the value
    levels: int = 100  # of a value, where every level needs a schema of its own
    combinations: int = 10_000  # subschemas that judge one value, counted once for each way to them


BUDGET: Final = Budget()


@dataclass(frozen=True, slots=True)
class Excess:
    """A place of a schema that exceeds the budget."""

    path: Path
    message: str  # what there is too much of, and the limit
    hint: str


class TooComplexError(ValueError):
    """A schema that is not worked with, with the first place that exceeds the budget."""

    def __init__(self, excess: Excess) -> None:
        super().__init__(f"the schema is too complex: {excess.message}")
        self.excess = excess


def oversized(schema: Mapping[str, Any], budget: Budget = BUDGET) -> Iterator[Excess]:
    """The places of `schema` that are too large by themselves. References are not followed."""
    size = 0
    for count, (path, node) in enumerate(subschemas(schema), 1):
        if count > budget.nodes:
            yield Excess((), f"there are more than {budget.nodes:,} subschemas", "split the tool")
            return
        yield from _oversized(path, node, budget)
        for pattern in _patterns(node):
            size += compiled_bytes(pattern)
            if size > budget.pattern_bytes:
                yield Excess(
                    path, "patterns with too large counts: each is written out when compiled", _COUNTS
                )
                return


def _oversized(path: Path, node: Mapping[str, Any], budget: Budget) -> Iterator[Excess]:
    for keyword, most, what, hint in (
        ("properties", budget.properties, "properties in one object", _FEWER_PROPERTIES),
        ("patternProperties", budget.properties, "patterns of property names in one object", ""),
        ("required", budget.properties, "required properties in one object", _FEWER_PROPERTIES),
        ("enum", budget.values, "values in one `enum`", "take the value as text, and check it in the tool"),
        ("anyOf", budget.branches, "branches in one `anyOf`", _FEWER_BRANCHES),
        ("oneOf", budget.branches, "branches in one `oneOf`", _FEWER_BRANCHES),
        ("allOf", budget.branches, "branches in one `allOf`", "write their keywords in one schema"),
    ):
        if keyword in node and isinstance(found := node[keyword], dict | list) and len(found) > most:
            yield Excess((*path, keyword), f"{len(found):,} {what}; at most {most:,} are read", hint)
    for keyword in ("properties", "patternProperties"):
        most = budget.name if keyword == "properties" else budget.pattern
        for name in node[keyword] if isinstance(node.get(keyword), dict) else ():
            if len(name) > most:
                message = f"a property name of {len(name):,} characters; at most {most:,} are read"
                yield Excess((*path, keyword), message, "use a shorter name")
    pattern = node.get("pattern")
    if isinstance(pattern, str) and len(pattern) > budget.pattern:
        message = f"a pattern of {len(pattern):,} characters; at most {budget.pattern:,} are read"
        yield Excess((*path, "pattern"), message, "use `enum`, or check the text in the tool")


_COUNTS = "use `maxLength`, and + or * in the pattern"
_FEWER_PROPERTIES = "group them in objects, or use `additionalProperties`"
_FEWER_BRANCHES = "use `enum` for values; group the others"


def entangled(graph: Graph, budget: Budget = BUDGET) -> Iterator[Excess]:
    """The places of a schema where references and combinators multiply beyond the budget; at most one each.

    Loops that never step into a value are not reported here.
    """
    chains = [0] * len(graph.nodes)  # references one after another
    ways = [1] * len(graph.nodes)
    for index in graph.bottom_up():
        node = graph.nodes[index]
        behind = set(node.references)
        for inner in node.in_place:
            chains[index] = max(chains[index], chains[inner] + (inner in behind))
            ways[index] = min(ways[index] + ways[inner], budget.combinations + 1)
    levels = graph.levels()
    for counts, most, message, hint in (
        (chains, budget.references, "references that lead from one to the next", "refer to the last of them"),
        (levels, budget.levels, "levels of objects and arrays, each with a schema of its own", ""),
        (ways, budget.combinations, "subschemas that judge the same value", _COMBINATIONS),
    ):
        found = next((node for node, count in zip(graph.nodes, counts, strict=True) if count > most), None)
        if found is not None:
            yield Excess(found.path, f"more than {most:,} {message}", hint)


_COMBINATIONS = "a branch that is reached in several ways is checked as often; write it once"


def check_budget(schema: Mapping[str, Any], budget: Budget = BUDGET) -> Weights | None:
    """How the work for a value grows with its levels, see `weights_of`.

    Raises `TooComplexError` for the first place of `schema` that exceeds the budget.
    """
    for excess in oversized(schema, budget):
        raise TooComplexError(excess)
    graph = Graph(schema)
    for excess in entangled(graph, budget):
        raise TooComplexError(excess)
    return weights_of(graph)


# How often one part of a value is judged


HEAVY: Final = 2_000_000
"""Checks of a part of a value by a subschema, in one call: about 0.1 s."""

_TEXT: Final = 20_000  # characters that a pattern with back references is tried on; the time is quadratic
_REPEATS: Final = re.compile(r"\\(?:[1-9]|k<)")
_LIGHT: Final = 64  # checks of each part: not worth counting
_DEEPEST: Final = 200  # levels of a value, see `runtime.validation.json_value`
_WORK: Final = 300_000  # entries compared for one schema

_Counts = dict[int, int]  # node → how many times it judges a part
_Step = tuple[str, str | int | None]  # "property" or "item", and which; None for any other


@dataclass(frozen=True, slots=True)
class Weights:
    """How often each part of a value is judged at most, by its level."""

    by_level: tuple[int, ...]
    deeper: int  # on the levels after those
    text: int = 0  # characters of a text; 0: as many as there are

    def cost(self, counts: list[int]) -> int:
        """The number of checks for a value with so many parts on each level."""
        known = len(self.by_level)
        return sum(
            count * (self.by_level[level] if level < known else self.deeper)
            for level, count in enumerate(counts)
        )


def weights_of(graph: Graph) -> Weights | None:
    """How the work for a value grows with its levels; None where it hardly does.

    Where several branches step into the same part of a value, as in `anyOf: [{items: A}, {items: A}]`, every
    level multiplies the work.
    """
    levels = _by_level(graph)
    repeats = any(_REPEATS.search(text) for node in graph.nodes for text in _patterns(node.schema))
    if not repeats:
        return levels
    return Weights((1,), 1, _TEXT) if levels is None else replace(levels, text=_TEXT)


def _patterns(node: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(pattern := node.get("pattern"), str):
        yield pattern
    if isinstance(patterns := node.get("patternProperties"), dict):
        yield from patterns


def _by_level(graph: Graph) -> Weights | None:
    own, below = _overlaps(graph)
    if below is None:
        return Weights(tuple(min(2**level, HEAVY + 1) for level in range(_DEEPEST)), HEAVY + 1)
    widest = max((sum(found.values()) for steps in below for found in steps.values()), default=0)
    if max(own) <= _LIGHT and widest <= 1:
        return None
    by_level = [own[0]]
    now = own
    for _ in range(_DEEPEST):
        after = [
            max(
                (sum(now[child] * times for child, times in found.items()) for found in steps.values()),
                default=0,
            )
            for steps in below
        ]
        after = [min(count, HEAVY + 1) for count in after]
        by_level.append(after[0])
        if after[0] > HEAVY:
            break
        if after == now or not after[0]:
            break
        now = after
    return Weights(tuple(by_level), by_level[-1]) if max(by_level) > _LIGHT else None


def _overlaps(graph: Graph) -> tuple[list[int], list[dict[_Step, _Counts]] | None]:
    """For each node, how many nodes judge the same value, and which judge each part; None if too many."""
    own = [1] * len(graph.nodes)
    below: list[dict[_Step, _Counts]] = [{} for _ in graph.nodes]
    work = 0
    for index in graph.bottom_up():
        node = graph.nodes[index]
        merged = _steps(node)
        for inner in node.in_place:
            own[index] = min(own[index] + own[inner], HEAVY + 1)
            work += sum(map(len, below[inner].values())) + len(merged)
            if work > _WORK:
                return own, None
            merged = _both(merged, below[inner])
        below[index] = merged
    return own, below


def _steps(node: Node) -> dict[_Step, _Counts]:
    steps: dict[_Step, _Counts] = {}
    for kind, parts in (("property", node.properties), ("item", node.items)):
        for name, found in parts.named.items():
            steps[kind, name] = dict.fromkeys((*found, *parts.all), 1)
        if parts.others or parts.all:
            steps[kind, None] = dict.fromkeys((*parts.others, *parts.all), 1)
    return steps


def _both(one: dict[_Step, _Counts], other: dict[_Step, _Counts]) -> dict[_Step, _Counts]:
    """The steps of two schemas that judge the same value."""
    if not one or not other:
        return one or other
    made: dict[_Step, _Counts] = {}
    for step in {**one, **other}:
        counts = dict(one.get(step) or one.get((step[0], None)) or {})
        for child, times in (other.get(step) or other.get((step[0], None)) or {}).items():
            counts[child] = min(counts.get(child, 0) + times, HEAVY + 1)
        made[step] = counts
    return made
