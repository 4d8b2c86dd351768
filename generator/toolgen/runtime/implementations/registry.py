"""Registry of a toolkit's tools, and how their implementations are loaded.

Entries load on first access and are prepared on first call.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from inspect import isabstract, isclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from toolgen.runtime.definition.tool_definition import LazyDefinitions, ToolDefinition, ToolDefinitions
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text
from toolgen.runtime.tool import BaseTool, ImplementationError, ProcessExitError, check_definition

if TYPE_CHECKING:
    from toolgen.runtime.execution.call import PreparedTool  # the first call loads what calls need
    from toolgen.runtime.execution.environment import Environment

Result = TypeVar("Result")


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
        from toolgen.runtime.execution.call import PreparedTool  # the first call loads what calls need

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


class Catalog(Protocol):
    """A generated `catalog` module."""

    @property
    def IMPLEMENTATIONS(self) -> str | None: ...  # noqa: N802  the module's constant

    @property
    def TOOLS(self) -> Mapping[str, ToolDefinition]: ...  # noqa: N802

    def tool_class(self, name: str) -> type[BaseTool[Any, Any]]:
        """Return the generated class of the tool called `name`."""
        ...


def module_name(definition: ToolDefinition) -> str:
    """Return the name of the module that implements a tool, within the implementations package."""
    return definition.get("py_name", definition["name"])


def load_tool(catalog: Catalog, definition: ToolDefinition) -> BaseTool[Any, Any]:
    """Return an instance of the one implementation of a tool.

    Raises ImplementationError (code `not_implemented`) if there is none, ProcessExitError in place of
    SystemExit, and any other exception of the module or of the class's `__init__`.
    """
    name = definition["name"]
    if catalog.IMPLEMENTATIONS is None:
        raise ImplementationError(name, "no package of implementations is configured")
    path = f"{catalog.IMPLEMENTATIONS}.{module_name(definition)}"
    try:
        module = _import(path)
        if module is None:
            raise ImplementationError(name, f"there is no module {path}")
        found = implementing_class(module, catalog.tool_class(name))
        if isinstance(found, ClassFault):
            raise ImplementationError(name, found.reason)
        return found()
    except SystemExit as error:
        raise ProcessExitError(f"{path} tried to exit the process") from error


def load_context(catalog: Catalog) -> Mapping[str, Any]:
    """Return the mapping `CONTEXT` of the implementations package; empty if it has none.

    Raises TypeError if it is not a mapping, and what the package raises.
    """
    if catalog.IMPLEMENTATIONS is None:
        return {}
    package = catalog.IMPLEMENTATIONS
    context = getattr(contained(lambda: _import(package), package), "CONTEXT", {})
    if not isinstance(context, Mapping):
        raise TypeError(f"CONTEXT of {package} must be a dict of values, not a {type(context).__name__}")
    return context


def contained(load: Callable[[], Result], name: str) -> Result:
    """Return what `load` returns. Raises an ordinary exception in place of SystemExit, for example."""
    try:
        return load()
    except Exception:
        raise
    except BaseException as error:
        from toolgen.runtime.isolation import contain_exit  # 21 ms, for exits only

        raise contain_exit(error, name) from error


def _import(path: str) -> ModuleType | None:
    """Import the module `path`; return None if it does not exist. Raises what the module raises."""
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        # a missing import of the module itself is another error: that is raised
        if error.name is not None and f"{path}.".startswith(f"{error.name}."):
            return None
        raise


def find_package(package: str) -> ModuleSpec | None:
    """Find a package by its dotted name without importing anything; None if it is not on `sys.path`."""
    loaded = sys.modules.get(package)
    if loaded is not None and loaded.__spec__ is not None:
        return loaded.__spec__
    spec: ModuleSpec | None = None
    search_path: Any = None
    name = ""
    for part in package.split("."):
        name = f"{name}.{part}" if name else part
        try:
            spec = PathFinder.find_spec(name, search_path)
        except KeyError:  # a folder without __init__.py, in a package that is not imported
            spec = ModuleSpec(name, None, is_package=True)
            folders = [str(Path(folder, part)) for folder in search_path]
            spec.submodule_search_locations = [folder for folder in folders if Path(folder).is_dir()]
        if spec is None or spec.submodule_search_locations is None:
            return None
        search_path = spec.submodule_search_locations
    return spec


@dataclass(frozen=True, slots=True)
class ClassFault:
    """Why a module has no class that implements a tool."""

    reason: str
    cls: type | None = None  # the class that is to be changed


def implementing_class(
    module: ModuleType, generated: type[BaseTool[Any, Any]]
) -> type[BaseTool[Any, Any]] | ClassFault:
    """Return the one class of `module` that implements a tool, or the fault if there is none or more."""
    # once each: a module may have a class under two names
    found = dict.fromkeys(filter(isclass, vars(module).values()))
    own = [each for each in found if each.__module__ == module.__name__]
    classes = [each for each in own if issubclass(each, generated) and each is not generated]
    complete = [each for each in classes if not isabstract(each)]
    if len(complete) == 1:
        return complete[0]
    if complete:
        names = ", ".join(each.__name__ for each in complete)
        name = generated.definition["name"]
        return ClassFault(f"{len(complete)} classes implement {name} ({names}); leave one", complete[1])
    if classes:
        lacks = ", ".join(sorted(classes[0].__abstractmethods__))
        return ClassFault(f"{classes[0].__name__} is not complete: it does not define {lacks}", classes[0])
    base = f"{generated.__name__} of {generated.__module__}"
    for each in own:
        if issubclass(each, BaseTool) or hasattr(each, "execute") or each.__name__ == generated.__name__:
            return ClassFault(f"{each.__name__} does not extend {base}", each)
    return ClassFault(f"no class of {module.__name__} extends {base}")
