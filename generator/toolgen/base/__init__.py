"""Parts that know nothing of tools: files, escaping, suggestions, child processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

KIB: Final = 1024
MIB: Final = 1024 * KIB
"""Bytes, as limits of sizes are written."""


def lazy_names(module: str, homes: Mapping[str, str], *, package: str | None = None) -> Callable[[str], Any]:
    """Return `__getattr__` for a module. `homes` maps each name to its home, a module relative to `package`.

    `package` is the module itself if it is None.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package or module}.{homes[name]}"), name)
        vars(import_module(module))[name] = value  # found without this function from now on
        return value

    return get
