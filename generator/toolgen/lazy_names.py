"""Packages whose names are loaded when they are first used, by `__getattr__` of a module (PEP 562)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return `__getattr__` for a package. `homes` maps each name to its module, relative to the package."""

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(package)
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        vars(module)[name] = value  # found without this function from now on
        return value

    return get
