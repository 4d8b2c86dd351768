"""Load the implementation of a tool: import its module, find its class, create an instance."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from inspect import isabstract, isclass
from types import ModuleType
from typing import Any, Protocol

from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.errors import NotImplementedToolError
from toolgen.runtime.tool import BaseTool


class Catalog(Protocol):
    """A generated `catalog` module."""

    @property
    def IMPLEMENTATIONS(self) -> str | None: ...  # noqa: N802  the module's constant

    @property
    def TOOLS(self) -> Mapping[str, ToolDefinition]: ...  # noqa: N802

    def tool_class(self, name: str) -> type[BaseTool[Any, Any]]:
        """Return the generated class of the tool called `name`."""
        ...


class ImplementationError(NotImplementedToolError):
    """A tool has no usable implementation; `reason` is for the log."""

    def __init__(self, tool: str, reason: str) -> None:
        super().__init__(f"{tool} is not implemented in this application.")
        self.reason = reason
        self.add_note(reason)


class ProcessExitError(RuntimeError):
    """An implementation tried to exit the process while it was imported or created."""


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
        return _implementation(module, catalog.tool_class(name), name)()
    except SystemExit as error:
        raise ProcessExitError(f"{path} tried to exit the process") from error


def load_context(catalog: Catalog) -> Mapping[str, Any]:
    """Return the mapping `CONTEXT` of the implementations package; empty if it has none."""
    if catalog.IMPLEMENTATIONS is None:
        return {}
    try:
        package = _import(catalog.IMPLEMENTATIONS)
    except Exception:
        raise
    except BaseException as error:
        from toolgen.runtime.isolation.exceptions import contain_exit

        raise contain_exit(error, catalog.IMPLEMENTATIONS) from error
    context: Mapping[str, Any] = getattr(package, "CONTEXT", {})
    return context


def _import(path: str) -> ModuleType | None:
    """Import the module `path`; return None if it does not exist. Raises what the module raises."""
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{path}.".startswith(f"{error.name}."):
            return None
        raise


def implementing_classes(module: ModuleType, generated: type[BaseTool[Any, Any]]) -> list[type]:
    """Return the subclasses of a generated class that `module` defines itself, abstract ones too."""
    return list(
        dict.fromkeys(
            value
            for value in vars(module).values()
            if isclass(value)
            and issubclass(value, generated)
            and value is not generated
            and value.__module__ == module.__name__
        )
    )


def _implementation(
    module: ModuleType, generated: type[BaseTool[Any, Any]], name: str
) -> type[BaseTool[Any, Any]]:
    classes = implementing_classes(module, generated)
    found = [value for value in classes if not isabstract(value)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(value.__name__ for value in found)
        raise ImplementationError(
            name, f"{module.__name__} has {len(found)} implementations ({names}); leave one"
        )
    if classes:
        lacks = ", ".join(f"{value.__name__} lacks {', '.join(abstract_methods(value))}" for value in classes)
        raise ImplementationError(name, f"the class in {module.__name__} is not complete: {lacks}")
    raise ImplementationError(name, f"{module.__name__} defines no subclass of {generated.__name__}")


def abstract_methods(cls: type) -> list[str]:
    """Return the names of a class's abstract methods, sorted."""
    return sorted(getattr(cls, "__abstractmethods__", ()))
