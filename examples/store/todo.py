"""A to-do list in `todo.md` in the workspace, one item per line, which people can edit, too.

Other lines stay unchanged. Items are numbered from 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from . import files
from .workspace import PathNotFoundError, Snapshot, Workspace, Writer

State = Literal["open", "doing", "done", "dropped"]

PATH: Final = "todo.md"
TITLE: Final = "# To do\n\n"  # of a new list
MAX_ITEMS: Final = 200
_MARKS: Final[Mapping[State, str]] = {"open": " ", "doing": ">", "done": "x", "dropped": "-"}
_STATES: Final[Mapping[str, State]] = {" ": "open", ">": "doing", "x": "done", "X": "done", "-": "dropped"}
_ITEM: Final = re.compile(r"- \[([ >xX-])\] (.*\S)\s*")


class NoSuchItemError(Exception):
    """No item has this number."""


class ListFullError(Exception):
    """The list has the maximum number of items."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item and its state."""

    text: str
    state: State = "open"


def read(workspace: Workspace) -> list[Item]:
    """Return the items in order; none if there is no list yet. Raises the errors of `files.load`."""
    return _items(_text(_snapshot(workspace)))


def change(workspace: Workspace, states: Mapping[int, State], added: Sequence[str]) -> list[Item]:
    """Set the states of items by number, then add open items at the end, atomically. Return all items.

    Raises NoSuchItemError, ListFullError, and the errors of `files.load` and `files.write`.
    """
    with workspace.writing() as writer:  # locked from reading to writing: other writers wait
        return _change(workspace, writer, states, added)


def _change(
    workspace: Workspace, writer: Writer, states: Mapping[int, State], added: Sequence[str]
) -> list[Item]:
    before = _snapshot(workspace)
    lines = _text(before).split("\n")
    places = [(place, item) for place, line in enumerate(lines) if (item := _parse(line))]
    for number, state in states.items():
        if not 1 <= number <= len(places):
            raise NoSuchItemError(f"There is no item {number}; the list has {len(places)}.")
        place, item = places[number - 1]
        lines[place] = _print(replace(item, state=state))
    if len(places) + len(added) > MAX_ITEMS:
        raise ListFullError(f"The list may hold {MAX_ITEMS} items; it has {len(places)}.")
    if added and lines[-1] == "":
        lines.pop()
    lines += [_print(Item(text)) for text in added]
    text = "\n".join([*lines, ""] if lines[-1] else lines)
    files.put(writer, files.Writing(PATH, before, text.encode("utf-8")))
    return _items(text)


def _snapshot(workspace: Workspace) -> Snapshot | None:
    try:
        return files.snapshot_of(workspace, PATH)
    except PathNotFoundError:
        return None


def _text(snapshot: Snapshot | None) -> str:
    return TITLE if snapshot is None else snapshot.data.decode("utf-8")


def _items(text: str) -> list[Item]:
    return [item for line in text.split("\n") if (item := _parse(line))]


def _parse(line: str) -> Item | None:
    found = _ITEM.fullmatch(line)
    return Item(found[2], _STATES[found[1]]) if found else None


def _print(item: Item) -> str:
    return f"- [{_MARKS[item.state]}] {item.text}"
