"""Print imports and lists of exported names in the order in which ruff and isort sort them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

_NaturalKey = list[Any]  # texts and numbers in turn
_NUMBER = re.compile(r"(\d+)")
# of Python 3.11, which generated code is written for; the list of `sys` depends on the version that runs
_STANDARD_LIBRARY = frozenset(
    files("toolgen.compile.python_source").joinpath("standard_library.txt").read_text("utf-8").split()
)


def natural_order(names: Iterable[str]) -> list[str]:
    """Return class names or modules in the order of ruff: numbers in them count as numbers."""
    return sorted(names, key=_natural_key)


def member_order(names: Iterable[str]) -> list[str]:
    """Return imported names in the order of ruff: constants, classes and others, each without case."""
    return sorted(names, key=lambda name: (_kind(name), *module_order(name)))


def _kind(name: str) -> int:
    if len(name) > 1 and name.isupper():
        return 0
    return 1 if name[:1].isupper() else 2


def _natural_key(name: str) -> _NaturalKey:
    """Numbers that begin with zero come first, and are compared as text."""
    return [
        (0, 0, part) if part.startswith("0") else (1, len(part), part) if part.isdigit() else part
        for part in _NUMBER.split(name)
    ]


def import_from(module: str, names: Iterable[str]) -> str:
    """Return `from module import names`, on one line."""
    return f"from {module} import {', '.join(member_order(names))}"


def all_statement(names: Iterable[str]) -> str:
    """Return `__all__ = [names]`, on one line."""
    quoted = (f'"{name}"' for name in natural_order(names))
    return f"__all__ = [{', '.join(quoted)}]"


def import_groups(modules: Mapping[str, str | None], members: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the lines of imports, those of the standard library and those of other packages.

    `modules` are imported as a whole, by an alias or None; from `members`, names are imported.
    """
    plain = {module: f"import {module}{f' as {alias}' if alias else ''}" for module, alias in modules.items()}
    named = {module: import_from(module, names) for module, names in members.items() if names}
    standard: list[str] = []
    others: list[str] = []
    # `import a` before `from a import b`, as ruff sorts by default
    for lines in (plain, named):
        for module in sorted(lines, key=module_order):
            (standard if module.partition(".")[0] in _STANDARD_LIBRARY else others).append(lines[module])
    return [group for group in (standard, others) if group]


def module_order(module: str) -> tuple[_NaturalKey, _NaturalKey]:
    """Return the key by which ruff sorts imports of modules."""
    return _natural_key(module.lower()), _natural_key(module)
