"""Functions that the decorators of MCP frameworks have registered: with which server, and as what."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from toolgen.sources.imported_tool import SourceError

_SERVERS: Final = ("FastMCP", "MCPServer")
_REGISTRIES: Final = {
    # of FastMCP, of the SDK: attribute paths to mappings of components, which have their function as `fn`
    "local_provider._components": "",
    "_tool_manager._tools": "tool",
    "_resource_manager._resources": "resource",
    "_resource_manager._templates": "resource template",
    "_prompt_manager._prompts": "prompt",
}
_FIELDS: Final = ("title", "version", "tags", "annotations", "icons", "meta", "timeout")
_WRAPPED: Final = ("__func__", "raw_function", "__wrapped__")
_MOST_WRAPPERS: Final = 10  # around one function


def servers_of(module: Any) -> dict[str, Any]:
    """Return the MCP servers in a module by name."""
    return {name: value for name, value in vars(module).items() if is_server(value)}


def is_server(value: Any) -> bool:
    """True if `value` is a FastMCP server, or one of the MCP SDK."""
    return any(
        each.__name__ in _SERVERS and each.__module__.partition(".")[0] in ("fastmcp", "mcp")
        for each in type(value).__mro__
    )


def refuse_registered(function: Any, module: Any, target: str) -> None:
    """Raise SourceError for a function that a server in the module has registered."""
    for name, server in servers_of(module).items():
        kind = _registered_as(function, server)
        place = f"{module.__name__}:{name}"
        if kind == "tool":
            raise SourceError(f"{target} is a tool of the MCP server {place}", import_command(place))
        if kind:
            raise SourceError(
                f"{target} is a {kind} of the MCP server {place}, not a tool", "name a function"
            )
    kind = declared_kind(function)
    if kind not in ("", "tool"):
        raise SourceError(f"{target} is a {kind} of an MCP server, not a tool", "name a function")


def import_command(place: str) -> str:
    """Return the command that imports the tools of a server."""
    return f"toolgen import fastmcp {place} --implement"


def _registered_as(function: Any, server: Any) -> str:
    """Return what a function is on a server: "tool", "prompt" and so on; empty if it is not registered."""
    for path, kind in _REGISTRIES.items():
        registry = server
        for part in path.split("."):
            registry = getattr(registry, part, None)
        for component in registry.values() if isinstance(registry, Mapping) else ():
            if _inner(getattr(component, "fn", None)) is _inner(function):
                return kind or str(getattr(component, "KEY_PREFIX", "") or "tool").replace("_", " ")
    return ""


def _inner(function: Any) -> Any:
    """Return the function that the author wrote: not the bound method, nor the wrapper of `validate_call`."""
    for _ in range(_MOST_WRAPPERS):
        wrapped = [found for name in _WRAPPED if (found := getattr(function, name, None)) is not None]
        if not wrapped:
            break
        function = wrapped[0]
    return function


def declared_kind(function: Any) -> str:
    """Return what a decorator without a server has declared: "tool", "resource", "prompt"; or empty."""
    return str(getattr(getattr(_inner(function), "__fastmcp__", None), "type", "") or "")


def declared_fields(function: Any) -> dict[str, Any]:
    """Return the arguments of the decorator `fastmcp.tools.tool` that a spec has fields for, and `name`."""
    declared = getattr(_inner(function), "__fastmcp__", None)
    if declared_kind(function) != "tool":
        return {}
    found: dict[str, Any] = {}
    for key in ("name", "description", *_FIELDS):
        value = getattr(declared, key, None)
        if isinstance(value, set | frozenset):
            value = sorted(value)
        elif key == "version" and value is not None:
            value = str(value)
        if value:
            found[key] = _as_json(value)
    return found


def _as_json(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return [_as_json(each) for each in value] if isinstance(value, list) else value


def without_dependencies(functions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the functions that no other one depends on: `get_db` of `db = Depends(get_db)` is no tool."""
    used = {id(each) for function in functions.values() for each in _dependencies(function)}
    return {name: function for name, function in functions.items() if id(function) not in used}


def _dependencies(function: Any) -> Iterator[Any]:
    """Yield the functions that the parameters of `function` depend on."""
    try:
        parameters: Iterable[inspect.Parameter] = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):
        return
    for parameter in parameters:
        metadata = typing.get_args(parameter.annotation)[1:]  # of `Annotated`
        for marker in (parameter.default, *metadata):
            for attribute in ("dependency", "factory"):
                if callable(found := getattr(marker, attribute, None)):
                    yield found
