"""Parts that know nothing of tools: files, escaping, suggestions, child processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final

KIB: Final = 1024
MIB: Final = 1024 * KIB
"""Bytes, as limits of sizes are written."""


def lazy_names(module: str, homes: Mapping[str, Sequence[str]], package: str = "") -> Callable[[str], Any]:
    """Return `__getattr__` for a module. `homes` maps modules, relative to `package`, to the names in them.

    Without `package`, they are relative to the module itself.
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package or module}.{home_of[name]}"), name)
        vars(import_module(module))[name] = value  # found without this function from now on
        return value

    return get
