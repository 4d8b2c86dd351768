"""The fixtures that a project gives to its tests: a toolkit with data of its own, and snapshots of that data.

They are two functions in the file that `[test] fixtures` names, or else in `tests/toolgen_fixtures.py`. Each
gets a new folder, which is removed afterwards; both may be left out.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolgen.runtime import Toolkit

_MODULE = "_toolgen_fixtures"


class FixtureError(Exception):
    """The fixtures cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Fixtures:
    """Functions of a folder. Without them, there is the default toolkit, and no state."""

    package: str  # the generated package
    make_toolkit: Callable[[Path], Toolkit] | None = None
    take_snapshot: Callable[[Path], Any] | None = None

    def toolkit(self, folder: Path) -> Toolkit:
        """Return the project's toolkit for one session. Raises FixtureError."""
        if self.make_toolkit is None:
            default: Toolkit = import_module(f"{self.package}.catalog").toolkit()
            return default
        toolkit = _called(self.make_toolkit, folder)
        if not hasattr(toolkit, "call") or not hasattr(toolkit, "definitions"):
            raise FixtureError(f"toolgen_toolkit returned {type(toolkit).__name__}, not a Toolkit")
        return toolkit  # type: ignore[no-any-return]

    def snapshot(self, folder: Path) -> Any:
        """Return a snapshot of the state. Raises FixtureError."""
        assert self.take_snapshot is not None
        return _called(self.take_snapshot, folder)


def load_fixtures(package: str, file: Path | None) -> Fixtures:
    """Import the fixtures of a project. Raises FixtureError if their module cannot be imported."""
    if file is None:
        return Fixtures(package)
    specification = importlib.util.spec_from_file_location(_MODULE, file)
    if specification is None or specification.loader is None:
        raise FixtureError(f"{file} is not a Python module")
    module = importlib.util.module_from_spec(specification)
    # Before it is executed: dataclasses look up the module of a class there.
    sys.modules[_MODULE] = module
    try:
        specification.loader.exec_module(module)
    except Exception as error:
        raise FixtureError(f"{file} cannot be imported: {type(error).__name__}: {error}") from error
    functions = {name: getattr(module, name, None) for name in ("toolgen_toolkit", "toolgen_state")}
    for name, function in functions.items():
        if function is not None and not _takes_folder(function):
            raise FixtureError(f"{name} in {file} must be a function of one argument, a folder")
    return Fixtures(package, functions["toolgen_toolkit"], functions["toolgen_state"])


def _takes_folder(function: Any) -> bool:
    try:
        inspect.signature(function).bind(None)
    except (TypeError, ValueError):
        return False
    return not inspect.iscoroutinefunction(function)


def _called(function: Callable[[Path], Any], folder: Path) -> Any:
    try:
        return function(folder)
    except Exception as error:
        name = getattr(function, "__name__", "the fixture")
        raise FixtureError(f"{name} failed with {type(error).__name__}: {error}") from error
