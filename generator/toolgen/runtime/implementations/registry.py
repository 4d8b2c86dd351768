"""Registry of a toolkit's tools. Entries load on first access and are prepared on first call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from toolgen.runtime.definition.tool_definition import LazyDefinitions, ToolDefinition, ToolDefinitions
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.tool import BaseTool, check_definition

from .loading import contained

if TYPE_CHECKING:
    from toolgen.runtime.execution.call import PreparedTool
    from toolgen.runtime.execution.environment import Environment


@dataclass(slots=True, eq=False)
class RegistryEntry:
    """One tool, loaded on first access. Sessions and selections of a toolkit share it.

    Args:
        name: the wire name.
        aliases: further names that can be called.
        define: returns the definition.
        load: returns an instance of the implementation, given the definition.
    """

    name: str
    aliases: Sequence[str]
    _: KW_ONLY
    define: Callable[[], ToolDefinition]
    load: Callable[[ToolDefinition], BaseTool[Any, Any]]
    known_definition: ToolDefinition | None = field(default=None, init=False)  # None: not imported yet
    loaded: BaseTool[Any, Any] | None = field(default=None, init=False)
    prepared: PreparedTool | None = field(default=None, init=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False)

    @property
    def definition(self) -> ToolDefinition:
        """The tool's definition. Raises what its module raises when it is imported."""
        if self.known_definition is None:
            self.known_definition = self.define()
        return self.known_definition

    def tool(self) -> BaseTool[Any, Any]:
        """Return the instance. Raises what loading raises; the next access tries again."""
        with self._lock:
            if self.loaded is None:
                self.loaded = contained(lambda: self.load(self.definition), self.name)
            return self.loaded

    def prepare(self) -> PreparedTool:
        """Return the tool prepared for calls. Raises as `tool` does, and ValueError for an invalid schema."""
        from toolgen.runtime.execution.call import PreparedTool

        with self._lock:
            if self.prepared is None:
                self.prepared = PreparedTool(self.tool())
            return self.prepared


@dataclass(frozen=True, slots=True)
class RegistrySnapshot:
    """An immutable snapshot of a registry."""

    entries: Mapping[str, RegistryEntry]  # by wire name, in order
    by_name: Mapping[str, RegistryEntry]  # by wire name and alias
    definitions: Mapping[str, ToolDefinition]  # by wire name, in order


def index_entries(entries: Iterable[RegistryEntry]) -> RegistrySnapshot:
    """Index `entries` by wire name and alias. Raises ValueError if two tools share a name."""
    by_wire_name: dict[str, RegistryEntry] = {}
    by_name: dict[str, RegistryEntry] = {}
    for entry in entries:
        for name in (entry.name, *entry.aliases):
            if by_name.setdefault(name, entry) is not entry or entry.name in by_wire_name:
                raise ValueError(f"two tools answer to {name!r}: a name or alias must be unique in a Toolkit")
        by_wire_name[entry.name] = entry
    return RegistrySnapshot(
        by_wire_name, by_name, LazyDefinitions(by_wire_name, lambda name: by_wire_name[name].definition)
    )


@dataclass(slots=True)
class Registry:
    """The current snapshot, replaced as a whole when tools are added or removed."""

    current: RegistrySnapshot
    # registered now or before, here or in a selection
    every: list[RegistryEntry] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    listeners: list[Callable[[], None]] = field(default_factory=list)

    def add(self, entry: RegistryEntry) -> None:
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

    def replace(self, entries: Iterable[RegistryEntry]) -> None:
        """Replace all tools; those that stay keep their entries. Raises ValueError if two share a name."""
        with self.lock:
            # by identity: tools may define `__eq__`
            before = {id(entry.loaded): entry for entry in self.every if entry.loaded is not None}
            self.current = index_entries(before.get(id(entry.tool()), entry) for entry in entries)
            known = set(map(id, self.every))
            self.every += [each for each in self.current.entries.values() if id(each) not in known]
        self._notify()

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


def registry_of(entries: Iterable[RegistryEntry]) -> Registry:
    """Return a registry of `entries`. Raises ValueError if two tools share a name."""
    tools = index_entries(entries)
    return Registry(tools, list(tools.entries.values()))


def entry_of(tool: Any) -> RegistryEntry:
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
    return defined_entry(tool.definition, lambda _: tool)


def defined_entry(
    definition: ToolDefinition, load: Callable[[ToolDefinition], BaseTool[Any, Any]]
) -> RegistryEntry:
    """Return the entry of a tool whose definition is known."""
    return RegistryEntry(
        definition["name"], definition.get("aliases", ()), define=lambda: definition, load=load
    )


def catalog_entries(
    tools: Mapping[str, ToolDefinition], load: Callable[[ToolDefinition], BaseTool[Any, Any]]
) -> Iterator[RegistryEntry]:
    """Iterate over the entries of a catalog's tools. Definitions of a generated catalog stay unloaded."""
    # only a generated catalog knows names and aliases without its definitions
    if not isinstance(tools, ToolDefinitions):
        for definition in tools.values():
            yield defined_entry(definition, load)
        return
    aliases: dict[str, list[str]] = {}
    for alias, name in tools.aliases.items():
        aliases.setdefault(name, []).append(alias)
    for name in tools:
        yield RegistryEntry(name, aliases.get(name, ()), define=partial(tools.__getitem__, name), load=load)
