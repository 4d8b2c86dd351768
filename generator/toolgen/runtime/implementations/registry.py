"""Registry of a toolkit's tools. Entries load on first access and are prepared on first call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.tool import BaseTool, check_definition

if TYPE_CHECKING:
    from toolgen.runtime.execution.call import PreparedTool
    from toolgen.runtime.execution.environment import Environment


class Entry:
    """One tool, loaded on first access. Sessions and selections of a toolkit share it."""

    __slots__ = ("_load", "_lock", "_tool", "definition", "prepared")

    def __init__(self, definition: ToolDefinition, load: Callable[[], BaseTool[Any, Any]]) -> None:
        self.definition = definition
        self.prepared: PreparedTool | None = None
        self._load = load
        self._lock = threading.RLock()
        self._tool: BaseTool[Any, Any] | None = None

    def tool(self) -> BaseTool[Any, Any]:
        """Return the instance. Raises what loading raises; the next access tries again."""
        with self._lock:
            if self._tool is None:
                self._tool = _load(self._load, self.definition["name"])
            return self._tool

    def prepare(self) -> PreparedTool:
        """Return the tool prepared for calls. Raises as `tool` does, and ValueError for an invalid schema."""
        from toolgen.runtime.execution.call import prepare_tool

        with self._lock:
            if self.prepared is None:
                self.prepared = prepare_tool(self.tool())
            return self.prepared


def _load(load: Callable[[], BaseTool[Any, Any]], name: str) -> BaseTool[Any, Any]:
    """Load a tool. Raises an ordinary exception in place of SystemExit, for example."""
    from toolgen.runtime.execution.isolation import contain_exit

    try:
        return load()
    except Exception:
        raise
    except BaseException as error:
        raise contain_exit(error, name) from error


@dataclass(frozen=True, slots=True)
class RegistrySnapshot:
    """An immutable snapshot of a registry."""

    entries: Mapping[str, Entry]  # by wire name, in order
    by_name: Mapping[str, Entry]  # by wire name and alias
    definitions: Mapping[str, ToolDefinition]  # by wire name, in order


def index_entries(entries: Iterable[Entry]) -> RegistrySnapshot:
    """Index `entries` by wire name and alias. Raises ValueError if two tools share a name."""
    by_wire_name: dict[str, Entry] = {}
    for entry in entries:
        name = entry.definition["name"]
        if name in by_wire_name:
            raise ValueError(f"two tools answer to {name!r}: a name or alias must be unique in a Toolkit")
        by_wire_name[name] = entry
    by_name = dict(by_wire_name)
    for name, entry in by_wire_name.items():
        for alias in entry.definition.get("aliases", ()):
            first = by_name.setdefault(alias, entry)
            if first is not entry:
                other = first.definition["name"]
                raise ValueError(f"two tools answer to {alias!r}: {other} and, by its alias, {name}")
    definitions = {name: entry.definition for name, entry in by_wire_name.items()}
    return RegistrySnapshot(by_wire_name, by_name, MappingProxyType(definitions))


@dataclass(slots=True)
class Registry:
    """The current snapshot, replaced as a whole when tools are added or removed."""

    current: RegistrySnapshot
    every: list[Entry] = field(default_factory=list)  # registered now or before, here or in a selection
    lock: threading.Lock = field(default_factory=threading.Lock)
    listeners: list[Callable[[], None]] = field(default_factory=list)

    def add(self, entry: Entry) -> None:
        """Add a tool. Raises ValueError if one of its names is taken."""
        with self.lock:
            self.current = index_entries([*self.current.entries.values(), entry])
            self.every.append(entry)
        self._notify()

    def remove(self, name: str) -> None:
        """Remove the tool with this name. Raises KeyError if there is none. Running calls continue."""
        with self.lock:
            removed = self.current.by_name[name]
            self.current = index_entries(
                entry for entry in self.current.entries.values() if entry is not removed
            )
        self._notify()

    def select(self, choose: Callable[[ToolDefinition], bool]) -> Iterator[Entry]:
        """Iterate over the entries whose definition satisfies `choose`."""
        return (entry for entry in self.current.entries.values() if choose(entry.definition))

    async def close(self, environment: Environment) -> None:
        """Close all tools that were set up, in reverse order."""
        for entry in reversed(self.every):
            if entry.prepared is not None:
                await entry.prepared.readiness.close(environment)

    def _notify(self) -> None:
        for listener in tuple(self.listeners):
            try:
                listener()
            except Exception as error:  # the others must be called, too
                from toolgen.runtime.logs.redaction import without_text

                LOGGER.error("a listener for changes of a toolkit raised", exc_info=without_text(error))


def registry_of(entries: Iterable[Entry]) -> Registry:
    """Return a registry of `entries`. Raises ValueError if two tools share a name."""
    tools = index_entries(entries)
    return Registry(tools, list(tools.entries.values()))


def entry_of(tool: Any) -> Entry:
    """Return the entry of a tool instance.

    Raises TypeError for anything else, ToolSpecError for a hand-written definition that is not valid.
    """
    if not isinstance(tool, BaseTool):
        raise TypeError(f"a Toolkit takes instances of tools that are implemented, not {tool!r}")
    if "definition" in getattr(tool, "__dict__", ()):
        raise TypeError(
            f"the definition of {type(tool).__qualname__} belongs to its class, not to an instance"
        )
    check_definition(type(tool))
    return Entry(tool.definition, lambda: tool)
