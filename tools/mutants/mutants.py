"""The mutants of a set of modules: enumerated in a fixed order, and a fixed selection of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from tools.mutants.operators import OPERATORS
from tools.mutants.source import Module

FOLDERS = ("examples/store", "examples/tools")
"""Folders with the implementations of the gallery's tools."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One module with one mistake."""

    operator: str
    path: str  # of the module, below the project
    line: int
    before: str  # the first line that is different, as it was
    after: str  # and as it is
    text: str  # the whole module with the mistake
    more: Mapping[str, str] = field(default_factory=dict)  # other modules that change, with their texts
    seed: str = "0"  # of the generated requests

    @property
    def name(self) -> str:
        """Return a short name that stays the same as long as the line and the mistake do."""
        digest = sha256(f"{self.operator}\0{self.path}\0{self.before}\0{self.after}".encode()).hexdigest()
        return f"{self.operator}-{digest[:8]}"


def read_modules(root: Path) -> list[Module]:
    """Return the modules of the gallery's implementations, sorted by path."""
    paths = sorted(path for folder in FOLDERS for path in (root / folder).glob("*.py"))
    return [Module(path.relative_to(root).as_posix(), path.read_text("utf-8")) for path in paths]


def all_mutants(modules: Iterable[Module]) -> Iterator[Mutant]:
    """Yield every mutant of the modules, operator by operator."""
    listed = list(modules)
    for operator in OPERATORS:
        for module in listed:
            yield from mutants_of(module, operator)


def mutants_of(module: Module, operator: str) -> Iterator[Mutant]:
    """Yield the mutants of one operator that are valid Python and different from their module."""
    for edit in OPERATORS[operator](module):
        text = edit.apply(module.text)
        if _is_another_module(module, text):
            before, after = _first_difference(module.text, text)
            yield Mutant(operator, module.path, module.line_of(edit), before, after, text)


def select_mutants(mutants: Iterable[Mutant], number: int, seed: str = "0") -> list[Mutant]:
    """Return about `number` mutants: the same number of each operator, as far as it has as many.

    Which ones is decided by hashes of their names and `seed`, so that it does not depend on what they change.
    """
    by_operator: dict[str, list[Mutant]] = {}
    for mutant in {each.name: each for each in mutants}.values():
        by_operator.setdefault(mutant.operator, []).append(mutant)
    for group in by_operator.values():
        group.sort(key=lambda mutant: sha256(f"{seed}\0{mutant.name}".encode()).hexdigest())
    selected: list[Mutant] = []
    rank = 0
    while len(selected) < number and any(len(group) > rank for group in by_operator.values()):
        selected += [group[rank] for group in by_operator.values() if len(group) > rank]
        rank += 1
    return sorted(selected, key=lambda mutant: (mutant.operator, mutant.path, mutant.line, mutant.name))


def _is_another_module(module: Module, text: str) -> bool:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return False
    return ast.dump(tree) != ast.dump(module.tree)


def _first_difference(before: str, after: str) -> tuple[str, str]:
    for old, new in zip(before.splitlines(), after.splitlines(), strict=False):
        if old != new:
            return old.strip(), new.strip()
    return "", ""
