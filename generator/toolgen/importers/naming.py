"""Names as other people have them, as names of the language: the same answer for the same source, always."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from toolgen.data.spec import NAME
from toolgen.python_source.names import class_stem, snake

_NAME = re.compile(NAME.removeprefix("^").removesuffix("$"))
_LONGEST = 64


@dataclass(frozen=True, slots=True)
class Names:
    """What is decided already."""

    taken: frozenset[str] = frozenset()  # by tools that are not imported
    known: Mapping[str, str] = field(default_factory=dict)  # published name → what it is called here


def choose_names(names: Sequence[str], decided: Names) -> list[str]:
    """A name of the language for each of `names`, no two of them one name in Python, nor one that is taken.

    A name that the language has already is kept by the first tool that has it, wherever it stands.
    """
    # an earlier namesake was numbered, and published so: the number is free for it again
    namesakes = {name for name, called in decided.known.items() if name == called and name not in names}
    fixed = (*decided.taken, *(set(decided.known.values()) - namesakes))
    used = {identity for name in fixed for identity in _identities(name)}
    chosen: list[str | None] = [None] * len(names)
    for name, called in decided.known.items():
        if name in names:
            chosen[names.index(name)] = called
    for kept in (True, False):
        for index, name in enumerate(names):
            if chosen[index] is not None or (kept and not (_NAME.fullmatch(name) and _free(name, used))):
                continue
            chosen[index] = _first_free(allowed(name), used)
            used |= _identities(str(chosen[index]))
    return [name for name in chosen if name is not None]


def allowed(name: str) -> str:
    """`name` in the letters and the length that the language has; itself where it is in them."""
    if _NAME.fullmatch(name):
        return name
    words = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_-")
    if not words:
        words = "tool_" + _digest(name)
    if not re.match(r"[A-Za-z_]", words):
        words = f"_{words}"
    if len(words) > _LONGEST:
        words = f"{words[: _LONGEST - 9]}_{_digest(name)}"
    return words


def _digest(name: str) -> str:
    return sha256(name.encode()).hexdigest()[:8]


def _identities(name: str) -> set[str]:
    """What must not be shared: the module, and the beginning of the classes."""
    py_name = snake(name, "tool")
    return {py_name, class_stem(py_name)}


def _free(name: str, used: set[str]) -> bool:
    return used.isdisjoint(_identities(name))


def _first_free(name: str, used: set[str]) -> str:
    if _free(name, used):
        return name
    number = 2
    while not _free(numbered := f"{name[: _LONGEST - 1 - len(str(number))]}_{number}", used):
        number += 1
    return numbered
