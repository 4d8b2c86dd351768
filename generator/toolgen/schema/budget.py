"""Find the places of a schema that exceed the limits on input from outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.base import MIB
from toolgen.schema.document import JsonPath, SchemaDocument, subschemas
from toolgen.schema.graph import Graph
from toolgen.schema.patterns import estimate_compiled_bytes, patterns_of


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one input. The defaults are far above what published tools have."""

    spec_bytes: int = 4 * MIB  # of one file below the specs folder
    import_bytes: int = 64 * MIB  # of one source of an import, after decoding
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
    combinations: int = 10_000  # subschemas that apply to one value, counted once for each way to them


BUDGET: Final = Budget()


@dataclass(frozen=True, slots=True)
class Excess:
    """A place of a schema that exceeds the budget."""

    path: JsonPath
    message: str  # what there is too much of, and the limit
    hint: str


_LIMITED = frozenset(
    ("allOf", "anyOf", "enum", "oneOf", "pattern", "patternProperties", "properties", "required")
)
"""Keywords whose values have limits."""


class TooComplexError(ValueError):
    """A schema that exceeds the budget; `excess` is its first place that does."""

    def __init__(self, excess: Excess) -> None:
        super().__init__(f"the schema is too complex: {excess.message}")
        self.excess = excess


def find_oversized(schema: Mapping[str, Any], budget: Budget = BUDGET) -> Iterator[Excess]:
    """Yield the places of `schema` that are too large by themselves. References are not followed."""
    size = 0
    for count, (path, node) in enumerate(subschemas(schema), 1):
        if count > budget.nodes:
            yield Excess((), f"there are more than {budget.nodes:,} subschemas", "split the tool")
            return
        if _LIMITED.isdisjoint(node):
            continue
        yield from _find_oversized(path, node, budget)
        for pattern in patterns_of(node):
            size += estimate_compiled_bytes(pattern)
            if size > budget.pattern_bytes:
                yield Excess(
                    path, "patterns with too large counts: each is written out when compiled", _COUNTS
                )
                return


def _find_oversized(path: JsonPath, node: Mapping[str, Any], budget: Budget) -> Iterator[Excess]:
    for keyword, limit, what, hint in (
        ("properties", budget.properties, "properties in one object", _FEWER_PROPERTIES),
        ("patternProperties", budget.properties, "patterns of property names in one object", ""),
        ("required", budget.properties, "required properties in one object", _FEWER_PROPERTIES),
        ("enum", budget.values, "values in one `enum`", "take the value as text, and check it in the tool"),
        ("anyOf", budget.branches, "branches in one `anyOf`", _FEWER_BRANCHES),
        ("oneOf", budget.branches, "branches in one `oneOf`", _FEWER_BRANCHES),
        ("allOf", budget.branches, "branches in one `allOf`", "write their keywords in one schema"),
    ):
        if keyword in node and isinstance(found := node[keyword], dict | list) and len(found) > limit:
            yield Excess((*path, keyword), f"{len(found):,} {what}; at most {limit:,} are read", hint)
    for keyword in ("properties", "patternProperties"):
        limit = budget.name if keyword == "properties" else budget.pattern
        for name in node[keyword] if isinstance(node.get(keyword), dict) else ():
            if len(name) > limit:
                message = f"a property name of {len(name):,} characters; at most {limit:,} are read"
                yield Excess((*path, keyword), message, "use a shorter name")
    pattern = node.get("pattern")
    if isinstance(pattern, str) and len(pattern) > budget.pattern:
        message = f"a pattern of {len(pattern):,} characters; at most {budget.pattern:,} are read"
        yield Excess((*path, "pattern"), message, "use `enum`, or check the text in the tool")


_COUNTS = "use `maxLength`, and + or * in the pattern"
_FEWER_PROPERTIES = "group them in objects, or use `additionalProperties`"
_FEWER_BRANCHES = "use `enum` for values; group the others"


def find_entangled(graph: Graph, budget: Budget = BUDGET) -> Iterator[Excess]:
    """Yield the places where references and combinators multiply beyond the budget, one for each limit.

    Loops that never descend into a value are not reported here.
    """
    chains = [0] * len(graph.nodes)  # references one after another
    ways = [1] * len(graph.nodes)
    for index in graph.bottom_up():
        node = graph.nodes[index]
        if not node.in_place:
            continue
        behind = set(node.references)
        for inner in node.in_place:
            chains[index] = max(chains[index], chains[inner] + (inner in behind))
            ways[index] = min(ways[index] + ways[inner], budget.combinations + 1)
    levels = graph.levels()
    for counts, limit, message, hint in (
        (chains, budget.references, "references that lead from one to the next", "refer to the last of them"),
        (levels, budget.levels, "levels of objects and arrays, each with a schema of its own", ""),
        (ways, budget.combinations, "subschemas that apply to the same value", _COMBINATIONS),
    ):
        found = next((node for node, count in zip(graph.nodes, counts, strict=True) if count > limit), None)
        if found is not None:
            yield Excess(found.path, f"more than {limit:,} {message}", hint)


_COMBINATIONS = "a branch that is reached in several ways is checked as often; write it once"


def check_budget(document: SchemaDocument, budget: Budget = BUDGET) -> Graph:
    """Return the graph of a schema. Raises `TooComplexError` for its first place that exceeds the budget."""
    check_size(document.schema, budget)
    graph = Graph(document)
    for excess in find_entangled(graph, budget):
        raise TooComplexError(excess)
    return graph


def check_size(schema: Mapping[str, Any], budget: Budget = BUDGET) -> None:
    """Raise `TooComplexError` for the first place of `schema` that is too large by itself."""
    for excess in find_oversized(schema, budget):
        raise TooComplexError(excess)
