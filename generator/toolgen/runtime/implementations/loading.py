"""Load the implementation of a tool: import its module, find its class, create an instance."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from inspect import isabstract, isclass
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeVar

from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.tool import BaseTool, ImplementationError, ProcessExitError

Result = TypeVar("Result")


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
    """Return the mapping `CONTEXT` of the implementations package; empty if it has none."""
    if catalog.IMPLEMENTATIONS is None:
        return {}
    package = catalog.IMPLEMENTATIONS
    context: Mapping[str, Any] = getattr(contained(lambda: _import(package), package), "CONTEXT", {})
    return context


def contained(load: Callable[[], Result], name: str) -> Result:
    """Return what `load` returns. Raises an ordinary exception in place of SystemExit, for example."""
    try:
        return load()
    except Exception:
        raise
    except BaseException as error:
        from toolgen.runtime.isolation import contain_exit

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
