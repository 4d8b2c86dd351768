"""The operators that put faults into the gallery's implementations."""

from __future__ import annotations

import ast
from itertools import islice
from pathlib import Path

import pytest

from tools.mutants.mutants import Mutant, mutants_of, read_modules, select_mutants
from tools.mutants.operators import OPERATORS
from tools.mutants.source import Module

ROOT = Path(__file__).parents[2]

SOURCE = '''
"""A module."""
from __future__ import annotations

def pick(prices: list[int], limit: int = 5) -> list[int]:
    """Return some."""
    if limit < 1:
        raise ValueError("limit")
    return sorted(price for price in prices if price > limit)[:limit]
'''


def texts(operator: str) -> list[str]:
    return [mutant.after for mutant in mutants_of(Module("a.py", SOURCE), operator)]


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("comparison_shifted", ["if limit <= 1:", ">= limit"]),
        ("comparison_negated", ["if limit >= 1:", "<= limit"]),
        ("check_removed", ["if False:"]),
        ("sort_dropped", ["list((price for price in prices if price > limit))"]),
        ("filter_dropped", ["if True)"]),
        ("off_by_one", ["[:(limit) + 1]"]),
        ("default_changed", ["limit: int = 6"]),
        ("wrong_return", ["return None"]),
        ("constant_flipped", ["if limit < 2:", "'limitx'"]),
    ],
)
def test_an_operator_makes_its_mistake_wherever_its_pattern_occurs(
    operator: str, expected: list[str]
) -> None:
    made = texts(operator)
    assert len(made) >= len(expected)
    for part in expected:
        assert any(part in line for line in made), made


def test_a_mutant_is_valid_python_that_differs_from_its_module() -> None:
    module = Module("a.py", SOURCE)
    for operator in OPERATORS:
        for mutant in mutants_of(module, operator):
            assert ast.dump(ast.parse(mutant.text)) != ast.dump(module.tree)


def test_each_operator_applies_to_the_gallery() -> None:
    modules = read_modules(ROOT)
    for operator in OPERATORS:
        assert any(True for module in modules for _ in islice(mutants_of(module, operator), 1)), operator


def test_the_selection_takes_from_each_operator_in_turn_and_stays_the_same() -> None:
    def mutant(operator: str, number: int) -> Mutant:
        return Mutant(operator, "a.py", number, "before", f"after {number}", "")

    every = [mutant("a", number) for number in range(10)] + [mutant("b", number) for number in range(2)]
    chosen = select_mutants(every, 6)
    assert [each.operator for each in chosen] == ["a"] * 4 + ["b"] * 2
    assert chosen == select_mutants(reversed(every), 6)
    assert chosen != select_mutants(every, 6, seed="another")
