"""Find out whether an error comes from the installation: a part that is missing or of another version.

Versions are compared by hand, as `packaging` may be what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version

from toolgen.project.errors import UnableError

_INSTALL = "pip install 'toolgen[cli]'"
_MODULES = {  # top-level modules of the extra `cli` and its dependencies
    "argcomplete",
    "datamodel_code_generator",
    "griffe",
    "griffelib",
    "inflect",
    "jinja2",
    "markupsafe",
    "packaging",
    "platformdirs",
    "ruff",
    "tomlkit",
    "yaml",
}
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]++)(?:\[[^]]*+\])?\s*+([^;]*+);\s*extra\s*==\s*['\"]cli['\"]")
_BOUND = re.compile(r"(==|>=|<=|<|>|!=)\s*([0-9][0-9.]*)")


def explain(error: Exception) -> UnableError | None:
    """Return the fault in the installation that explains an unexpected error; None if there is none."""
    if isinstance(error, ModuleNotFoundError) and error.name in _MODULES:
        message = f"toolgen's generator is not installed ({error.name} is missing)"
        return UnableError("not-installed", message, _INSTALL)
    unsupported = "; ".join(_unsupported())
    if not unsupported:
        return None
    message = f"{unsupported}, and the command failed with {type(error).__name__}"
    return UnableError("unsupported-version", message, f"{_INSTALL}; TOOLGEN_DEBUG=1 shows the traceback")


def _unsupported() -> Iterator[str]:
    """Yield a message for each required distribution that is missing or of an unsupported version."""
    try:
        needed = requires("toolgen") or []
    except PackageNotFoundError:  # run from a checkout that is not installed
        return
    for requirement in needed:
        found = _REQUIREMENT.match(requirement)
        if found is None or found[1] == "toolgen":
            continue
        try:
            installed = version(found[1])
        except PackageNotFoundError:
            yield f"{found[1]} is not installed; this toolgen works with {found[2].strip()}"
            continue
        if not _is_within(installed, found[2]):
            yield f"{found[1]} {installed} is installed; this toolgen works with {found[2].strip()}"


def _is_within(installed: str, bounds: str) -> bool:
    have = _numbers(installed)
    compare = {
        "==": lambda wanted: have == wanted,
        "!=": lambda wanted: have != wanted,
        ">=": lambda wanted: have >= wanted,
        "<=": lambda wanted: have <= wanted,
        ">": lambda wanted: have > wanted,
        "<": lambda wanted: have < wanted,
    }
    return all(compare[operator](_numbers(wanted)) for operator, wanted in _BOUND.findall(bounds))


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a release, without trailing zeros: 1.2.0 equals 1.2."""
    found = re.match(r"[0-9]+(\.[0-9]+)*", version)
    numbers = [int(part) for part in found[0].split(".")] if found else []
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
