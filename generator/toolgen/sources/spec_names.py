"""Choose spec names for imported tools; the same source always gets the same names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from toolgen.language.identifiers import class_stem, tool_module
from toolgen.runtime.definition.spec_schema import NAME

_NAME = re.compile(NAME.removeprefix("^").removesuffix("$"))
_MAX_LENGTH = 64  # characters, as in `NAME`


@dataclass(frozen=True, slots=True)
class ExistingNames:
    """Names in the project before the import."""

    taken: frozenset[str] = frozenset()  # names and aliases of tools that this import does not update
    in_place: frozenset[str] = frozenset()  # of tools whose files one with the same name would replace
    imported: Mapping[str, str] = field(default_factory=dict)  # key of a tool → spec name, of earlier imports


def choose_names(
    names: Sequence[str], existing: ExistingNames, keys: Sequence[str] | None = None
) -> list[str]:
    """Return a spec name for each of `names`; no two of them, nor a taken one, share a Python name.

    A tool that was imported before keeps its spec name. A name that is valid as it is goes to the first tool
    that has it, before any other name is changed to something like it. `keys` identify the tools in
    `existing.imported`; by default, their names do.
    """
    keys = names if keys is None else keys
    # a tool whose name was numbered at an earlier import was published under that name: free the number again
    numbered = {name for name, spec in existing.imported.items() if name == spec and name not in keys}
    reserved = (
        *existing.taken,
        *(existing.in_place - set(names)),
        *(set(existing.imported.values()) - numbered),
    )
    used = {key for name in reserved for key in _conflict_keys(name)}
    chosen: list[str | None] = [None] * len(names)
    for key, spec_name in existing.imported.items():
        if key in keys:
            chosen[keys.index(key)] = spec_name
    for only_unchanged in (True, False):
        for index, name in enumerate(names):
            if chosen[index] is not None:
                continue
            if only_unchanged and not (_NAME.fullmatch(name) and _is_free(name, used)):
                continue
            chosen[index] = _first_free(to_spec_name(name), used)
            used |= _conflict_keys(str(chosen[index]))
    return [name for name in chosen if name is not None]


def to_spec_name(name: str) -> str:
    """Return `name` with the characters and the length that the language allows; unchanged if it is valid."""
    if _NAME.fullmatch(name):
        return name
    words = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_-")
    if not words:
        words = "tool_" + _digest(name)
    if not re.match(r"[A-Za-z_]", words):
        words = f"_{words}"
    if len(words) > _MAX_LENGTH:
        words = f"{words[: _MAX_LENGTH - 9]}_{_digest(name)}"
    return words


def _digest(name: str) -> str:
    return sha256(name.encode()).hexdigest()[:8]


def _conflict_keys(name: str) -> set[str]:
    """Return what two tools must not share: the module name and the stem of class names."""
    py_name = tool_module(name)
    return {py_name, class_stem(py_name)}


def _is_free(name: str, used: set[str]) -> bool:
    return used.isdisjoint(_conflict_keys(name))


def _first_free(name: str, used: set[str]) -> str:
    if _is_free(name, used):
        return name
    number = 2
    while not _is_free(numbered := f"{name[: _MAX_LENGTH - 1 - len(str(number))]}_{number}", used):
        number += 1
    return numbered
