"""The tools of a toolkit: each loaded when it is first asked for, prepared when it is first called."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .context import LOGGER
from .definition import ToolDefinition
from .tool import BaseTool

if TYPE_CHECKING:
    from .call import Ready


class Slot:
    """One tool, there or still to be loaded. Toolkits that were made of each other share it."""

    __slots__ = ("_load", "_lock", "_tool", "definition", "prepared")

    def __init__(self, definition: ToolDefinition, load: Callable[[], BaseTool[Any, Any]]) -> None:
        self.definition = definition
        self.prepared: Ready | None = None
        self._load = load
        self._lock = threading.RLock()
        self._tool: BaseTool[Any, Any] | None = None

    def tool(self) -> BaseTool[Any, Any]:
        """The instance. Raises what loading raises; the next one who asks tries again."""
        with self._lock:
            if self._tool is None:
                self._tool = self._load()
            return self._tool

    def ready(self) -> Ready:
        """The tool as it is called. Raises as `tool` does, and ValueError for a schema that is not usable."""
        from .call import make_ready

        with self._lock:
            if self.prepared is None:
                self.prepared = make_ready(self.tool())
            return self.prepared


@dataclass(frozen=True, slots=True)
class Shelf:
    """The tools at one moment. Raises ValueError, by `shelve`, if two answer to one name."""

    slots: Mapping[str, Slot]  # by wire name, in order
    by_name: Mapping[str, Slot]  # by wire name and alias
    definitions: Mapping[str, ToolDefinition]  # by wire name, in order


def shelve(slots: Iterable[Slot]) -> Shelf:
    """A shelf of `slots`. Raises ValueError if two answer to one name."""
    by_wire_name: dict[str, Slot] = {}
    for slot in slots:
        name = slot.definition["name"]
        if name in by_wire_name:
            raise ValueError(f"two tools answer to {name!r}: a name or alias must be unique in a Toolkit")
        by_wire_name[name] = slot
    by_name = dict(by_wire_name)
    for name, slot in by_wire_name.items():
        for alias in slot.definition.get("aliases", ()):
            first = by_name.setdefault(alias, slot)
            if first is not slot:
                other = first.definition["name"]
                raise ValueError(f"two tools answer to {alias!r}: {other} and, by its alias, {name}")
    definitions = {name: slot.definition for name, slot in by_wire_name.items()}
    return Shelf(by_wire_name, by_name, MappingProxyType(definitions))


@dataclass(slots=True)
class Rack:
    """A shelf that can be exchanged for another one while tools are called."""

    shelf: Shelf
    every: list[Slot] = field(default_factory=list)  # that was ever here, or in a selection of it
    lock: threading.Lock = field(default_factory=threading.Lock)
    listeners: list[Callable[[], None]] = field(default_factory=list)

    def add(self, slot: Slot) -> None:
        """Put one more tool on the shelf. Raises ValueError if one of its names is taken."""
        with self.lock:
            self.shelf = shelve([*self.shelf.slots.values(), slot])
            self.every.append(slot)
        self._tell()

    def remove(self, name: str) -> None:
        """Take away the tool that answers to `name`; KeyError if none does. Calls that run go on."""
        with self.lock:
            gone = self.shelf.by_name[name]
            self.shelf = shelve(slot for slot in self.shelf.slots.values() if slot is not gone)
        self._tell()

    def chosen(self, choose: Callable[[ToolDefinition], bool]) -> Iterator[Slot]:
        """The slots of tools that `choose` wants."""
        return (slot for slot in self.shelf.slots.values() if choose(slot.definition))

    async def close(self) -> None:
        """Close all tools that were set up, the last one first."""
        for slot in reversed(self.every):
            if slot.prepared is not None:
                await slot.prepared.readiness.close()

    def _tell(self) -> None:
        for listener in tuple(self.listeners):
            try:
                listener()
            except Exception:  # one that fails must not keep the change from the others
                LOGGER.exception("a listener for changes of a toolkit raised")


def rack_of(slots: Iterable[Slot]) -> Rack:
    """A rack with `slots` on its shelf. Raises ValueError if two answer to one name."""
    shelf = shelve(slots)
    return Rack(shelf, list(shelf.slots.values()))


def instance_slot(tool: Any) -> Slot:
    """A slot of an instance. Raises TypeError for what is no instance of a generated tool."""
    if not isinstance(tool, BaseTool) or not hasattr(tool, "definition"):
        raise TypeError(f"a Toolkit takes instances of generated tools that are implemented, not {tool!r}")
    return Slot(tool.definition, lambda: tool)
