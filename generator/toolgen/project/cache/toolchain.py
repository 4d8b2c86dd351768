"""Identity of the running generator: versions of what it depends on, and a hash of its own code."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256

import toolgen.templates  # type: ignore[import-not-found]  # mapped to templates/ when installed
from toolgen.base.files import read_named
from toolgen.project import UnableError

TOOLCHAIN = ("toolgen", "jinja2", "pydantic", "ruff")
"""Distributions in the manifest: their versions change what is generated."""

FORMATTERS = ((0, 16), (0, 18))
"""The first versions of ruff that give the same bytes, and the first after them, which may not."""

USERS = frozenset(("__main__", "changes", "cli", "client", "documents", "sources", "testing", "upstream"))
"""The rooms above `project` (see .importlinter): what they do changes no generated file."""

_DEPENDENCIES = ("jsonschema-rs", "markupsafe", "pydantic-core", "pyyaml")  # of those


@cache
def generator_id() -> str:
    """Return a hash of the modules and templates that generate code, and of what they depend on.

    With a version alone, a checkout would use cache entries that it made before its last edit.
    Raises `UnableError` for a ruff that may give other bytes.
    """
    digest, used = sha256(sys.version.encode()), versions((*TOOLCHAIN, *_DEPENDENCIES))
    _refuse_other_formatters(used["ruff"])
    for name, version in used.items():
        digest.update(f"{name} {version}\n".encode())
    for package in (toolgen.__path__[0], toolgen.templates.__path__[0]):
        for path in sorted(_files(package)):
            digest.update(f"{path[len(package) :]}\n".encode() + sha256(read_named(path)).digest())
    return digest.hexdigest()[:16]


def _refuse_other_formatters(installed: str) -> None:
    """Raise `UnableError` if the installed ruff may format generated code in another way."""
    numbers, (first, after) = numbers_of(installed)[:2], FORMATTERS
    if not numbers or first <= numbers < after:  # an unknown version: run from a checkout
        return
    known = ".".join(map(str, first)), ".".join(map(str, after))
    raise UnableError(
        "unsupported-version",
        f"ruff {installed} may format generated code in another way than this toolgen expects",
        f"pip install 'ruff>={known[0]},<{known[1]}'",
    )


def numbers_of(version: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with, for comparing: none of "unknown"."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


def versions(names: tuple[str, ...]) -> dict[str, str]:
    """Return the version of each distribution by the names in site-packages; "unknown" if there is none.

    `importlib.metadata` gives the same, and takes longer than hashing all specs.
    """
    installed = _installed()
    return {name: installed.get(name.replace("-", "_")) or _looked_up(name) for name in names}


@cache
def _installed() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for entry in names:
            if entry.endswith(".dist-info"):
                name, _, version = entry.removesuffix(".dist-info").partition("-")
                found.setdefault(name.lower().replace(".", "_"), version)
    return found


def _looked_up(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # 10 ms, for few installations

    try:
        return version(name)
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "unknown"


def _files(folder: str) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        skipped = {"__pycache__", *(USERS if parent == folder else ())}
        folders[:] = [name for name in folders if name not in skipped]
        yield from (os.path.join(parent, name) for name in names if not name.endswith(".pyc"))
