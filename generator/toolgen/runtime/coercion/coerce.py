"""Well-known slips of clients, mended where the schema leaves no doubt: JSON that came as text.

The one rule: where a text stands, the schema takes no text there, and the text is JSON for a value of a type
that it does take, that value is meant. All is checked by the schema again. docs/runtime.md has the list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from toolgen.runtime.text import show_path
from toolgen.runtime.validation.compiled_schema import CompiledSchema
from toolgen.runtime.validation.json_path import part_of
from toolgen.runtime.validation.schema_lookup import About
from toolgen.schema.document import JsonPath

from .places import Slips, find_places
from .strict_json import LENGTH, Unreadable, kind_of, read_as

ROUNDS = 4  # texts in what texts held
PLACES = 1000  # that are mended at a time

_OBJECT = frozenset({"object"})


@dataclass(frozen=True, slots=True)
class Mended:
    """Arguments as they were meant, and what was done to them."""

    value: dict[str, Any]
    notes: list[dict[str, str]]  # `path`, and the JSON types `from` (which came) and `to` (which was taken)
    fits: bool = True  # the schema accepts `value`

    def is_inside(self, path: str) -> str | None:
        """The path of the text in which the place at `path` was found; None where it is in none."""
        texts = [note["path"] for note in self.notes if note["to"] in ("array", "object")]
        return next((text for text in texts if path.startswith((f"{text}.", f"{text}["))), None)


def mend(gate: CompiledSchema, value: dict[str, Any]) -> Mended:
    """`value`, which is JSON that `gate` refuses, with its slips mended as far as that goes.

    `value` stays as it is. What the schema marks as not to be shown is never touched.
    """
    about = About(gate.schema)
    notes: list[dict[str, str]] = []
    left = LENGTH
    for _ in range(ROUNDS):
        if not gate.explains(value):
            break
        slips = find_places(islice(gate.errors(value), PLACES), value)
        taken, left = _take(slips, value, about, left)
        if not taken:
            break
        value = _put(value, taken)
        notes += [_note(path, taken[path], slips[path]) for path in taken]
        if gate.is_valid(value):
            return Mended(value, notes)
    return Mended(value, notes, fits=False)


def mend_whole(text: str) -> Mended | None:
    """The arguments, where all of them came as one text; unchecked. None where it is no JSON object."""
    try:
        value = read_as(text, _OBJECT)
    except Unreadable:
        return None
    return Mended(value, [_note((), value, _OBJECT)])


def _take(slips: Slips, value: Any, about: About, left: int) -> tuple[dict[JsonPath, Any], int]:
    """The values that the texts at `slips` stand for, and how many more characters may be read."""
    taken: dict[JsonPath, Any] = {}
    for path, kinds in slips.items():
        text = part_of(value, path)
        left -= len(text)
        if left < 0:
            return {}, left
        try:
            if not about.hide(path):
                taken[path] = read_as(text, kinds)
        except Unreadable:
            continue
    return taken, left


def _note(path: JsonPath, value: Any, kinds: frozenset[str]) -> dict[str, str]:
    return {"path": show_path(path), "from": "string", "to": kind_of(value, kinds)}


def _put(value: Any, changes: Mapping[JsonPath, Any]) -> Any:
    """A copy of `value` with other parts at the paths of `changes`; what they do not touch is shared."""
    if () in changes:
        return changes[()]
    inside: dict[str | int, dict[JsonPath, Any]] = {}
    for path, part in changes.items():
        inside.setdefault(path[0], {})[path[1:]] = part
    made = value.copy()
    for step, below in inside.items():
        made[step] = _put(value[step], below)
    return made
