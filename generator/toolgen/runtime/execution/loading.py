"""Load implementations: import the module of a tool, find its class, make an instance."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from inspect import isabstract, isclass
from types import ModuleType
from typing import Any, Protocol

from toolgen.runtime.context import LOGGER
from toolgen.runtime.definition import ToolDefinition
from toolgen.runtime.errors import NotImplementedToolError
from toolgen.runtime.tool import BaseTool


class Catalog(Protocol):
    """A generated `catalog` module."""

    @property
    def IMPLEMENTATIONS(self) -> str | None: ...  # noqa: N802  the module's constant

    @property
    def TOOLS(self) -> Mapping[str, ToolDefinition]: ...  # noqa: N802

    def tool_class(self, name: str) -> type[BaseTool[Any, Any]]:
        """The generated class of the tool called `name`."""
        ...


def load_tool(catalog: Catalog, definition: ToolDefinition) -> BaseTool[Any, Any]:
    """Return an instance of the one implementation of a tool.

    Raises NotImplementedToolError if there is none, and logs what was looked for; whatever the module or the
    class's `__init__` raises propagates.
    """
    name = definition["name"]
    if catalog.IMPLEMENTATIONS is None:
        raise _missing(name, "no package of implementations is configured")
    path = f"{catalog.IMPLEMENTATIONS}.{definition['py_name']}"
    module = _import(path)
    if module is None:
        raise _missing(name, f"there is no module {path}")
    return _implementation(module, catalog.tool_class(name), name)()


def load_context(catalog: Catalog) -> Mapping[str, Any]:
    """Return the mapping `CONTEXT` of the implementations package; empty where there is none."""
    if catalog.IMPLEMENTATIONS is None:
        return {}
    try:
        package = _import(catalog.IMPLEMENTATIONS)
    except Exception:
        raise
    except BaseException as error:
        from .isolation import without_exit

        raise without_exit(error, catalog.IMPLEMENTATIONS) from error
    context: Mapping[str, Any] = getattr(package, "CONTEXT", {})
    return context


def _import(path: str) -> ModuleType | None:
    """Return the module at `path`, None if there is none. An import that fails inside it raises."""
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{path}.".startswith(f"{error.name}."):
            return None
        raise


def _implementation(
    module: ModuleType, generated: type[BaseTool[Any, Any]], name: str
) -> type[BaseTool[Any, Any]]:
    own = [
        value
        for value in vars(module).values()
        if isclass(value)
        and issubclass(value, generated)
        and value is not generated
        and value.__module__ == module.__name__
    ]
    found = [value for value in dict.fromkeys(own) if not isabstract(value)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(value.__name__ for value in found)
        raise _missing(name, f"{module.__name__} has {len(found)} implementations ({names}); leave one")
    if own:
        lacks = ", ".join(
            f"{value.__name__} lacks {', '.join(sorted(value.__abstractmethods__))}" for value in own
        )
        raise _missing(name, f"the class in {module.__name__} is not complete: {lacks}")
    raise _missing(name, f"{module.__name__} defines no subclass of {generated.__name__}")


def _missing(name: str, why: str) -> NotImplementedToolError:
    LOGGER.warning("tool %s is not implemented: %s", name, why)
    return NotImplementedToolError(f"{name} is not implemented in this application.")
