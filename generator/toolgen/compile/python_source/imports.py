"""Print imports and lists of exported names; ruff sorts them."""

from __future__ import annotations

from collections.abc import Iterable


def import_from(module: str, names: Iterable[str]) -> str:
    """Return `from module import names`, on one line."""
    return f"from {module} import {', '.join(sorted(names))}"


def import_as(module: str, name: str, used: str) -> str:
    """Return the import of a name of a module that is called `used` where it is imported."""
    return f"from {module} import {name}" + ("" if name == used else f" as {used}")


def all_statement(names: Iterable[str]) -> str:
    """Return `__all__ = [names]`, on one line."""
    quoted = (f'"{name}"' for name in sorted(names))
    return f"__all__ = [{', '.join(quoted)}]"
