"""Estimate what makes validating a value expensive."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.schema.graph import MAX_CHECKS, Graph
from toolgen.schema.patterns import patterns_of

MAX_TEXT: Final = 4_000
"""Characters of a text for patterns that may read the rest of it from each place: at most 0.1 s."""

_CHECKS: Final = MAX_CHECKS // 100_000
"""Checks of each part for which parts are not counted: the limit for requests is lower than 100,000."""

_ATOM: Final = r"(?:\\[^1-9k]|\[\^?\]?(?:\\.|[^\]\\])*\]|(?![*+?}]\+)[^\\\[()])"
_LOOK_AHEAD: Final = rf"\(\?[=!](?:{_ATOM}|\((?!\?<?[=!]){_ATOM}*\))*\)"
# all look-around is at the beginning, as in `^(?=.*[0-9])(?=.*[a-z]).{8,}$`, and so is tried once
_TRIED_ONCE: Final = re.compile(rf"\^(?:{_LOOK_AHEAD})*(?:{_ATOM}|(?!\(\?<?[=!])[()])*", re.DOTALL)
_BACKTRACKING: Final = re.compile(r"\(\?<?[=!]|\\(?:[1-9]|k<)|[*+?}]\+")
_REPEATING: Final = re.compile(r"[*+]|\{\d*,\}|\{(?:\d*,)?\d{4,}\}")  # without limit, or a thousand and more


@dataclass(frozen=True, slots=True)
class ValidationCost:
    """What makes validating a value expensive."""

    checks: int = 1  # of one part of a value: subschemas, or literals of an `enum`; 1: too few to matter
    computes: bool = False  # with integers digit by digit: compares those of an array in pairs, or divides
    patterns: tuple[str, ...] = ()  # those that backtrack
    is_text_limited: bool = False  # by MAX_TEXT: one of the patterns may read the text again and again


def validation_cost(graph: Graph) -> ValidationCost | None:
    """Return the cost of values of a schema; None if no value within the limits of a request is expensive."""
    schemas = [node.schema for node in graph.nodes]
    patterns = dict.fromkeys(each for schema in schemas for each in patterns_of(schema))
    backtracking = tuple(each for each in patterns if _BACKTRACKING.search(each))
    checks = max([graph.checks, *map(_literals, schemas)])
    cost = ValidationCost(
        checks if checks > _CHECKS else 1,
        any(
            schema.get("uniqueItems") is True or isinstance(schema.get("multipleOf"), float)
            for schema in schemas
        ),
        backtracking,
        any(_REPEATING.search(each) and not _TRIED_ONCE.fullmatch(each) for each in backtracking),
    )
    return None if cost == ValidationCost() else cost


def _literals(schema: Mapping[str, Any]) -> int:
    """Return how many objects and arrays of an `enum` a value may be compared with."""
    options = schema.get("enum")
    return sum(isinstance(each, dict | list) for each in options) if isinstance(options, list) else 0
