"""Child process of `import python`: import modules and write descriptions of their functions to a JSON file.

It is a process of its own because importing a module runs it: it may print, hang, exit or crash.
`toolgen.base.child_process` calls `main` in it.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import typing_extensions

from toolgen.sources.imported_tool import SourceError
from toolgen.sources.python.signature import FunctionDescription, describe_function

from .imported_module import answer_in_child, find_in, import_target

_SERVERS: Final = ("FastMCP", "MCPServer")
_FIELDS: Final = ("title", "version", "tags", "annotations", "icons", "meta", "timeout")
_WRAPPED: Final = ("__func__", "raw_function", "__wrapped__")
_MOST_WRAPPERS: Final = 10  # around one function


def main(seconds: str, result: str, folder: str, *targets: str) -> None:
    def describe() -> dict[str, Any]:
        if sys.version_info < (3, 12):
            typing.TypedDict = typing_extensions.TypedDict  # pydantic accepts no other before 3.12
        return {"functions": [each.to_json() for target in targets for each in _describe(target, folder)]}

    answer_in_child(describe, seconds, result, folder)


def _describe(target: str, folder: str) -> Iterator[FunctionDescription]:
    module_name, colon, function_name = target.rpartition(":") if ":" in target else (target, "", "*")
    if colon and not function_name:
        raise SourceError(f"{target}: the name of the function is missing", "write MODULE:FUNCTION")
    module = import_target(module_name, folder, target)
    places = [f"{module.__name__}:{name}" for name in servers_of(module)]
    if function_name != "*":
        names = list(_public_functions(module))[:8]
        hint = f"it has {', '.join(names)}" if names else "it has no public functions"
        function = find_in(module, function_name, target, hint)
        if is_server(function):
            raise SourceError(f"{target} is an MCP server, not a function", import_command(target))
        kind = declared_kind(function)
        if kind not in ("", "tool"):
            raise SourceError(f"{target} is a {kind} of an MCP server, not a tool", "name a function")
        description = _described(function, module, function_name)
        description.notes += [f"for the tools of {place}: {import_command(place)}" for place in places]
        yield description
        return
    for place in places:
        hint = f"{import_command(place)}; for another function, write MODULE:FUNCTION"
        raise SourceError(f"{target}: its functions belong to the MCP server {place}", hint)
    functions = without_dependencies(_public_functions(module))
    if not functions:
        raise SourceError(f"{target}: no public functions in {module.__name__}", "write MODULE:FUNCTION")
    for name, function in functions.items():
        if declared_kind(function) in ("", "tool"):
            yield _described(function, module, name)


def _described(function: Any, module: Any, path: str) -> FunctionDescription:
    description = describe_function(function, module.__name__, path)
    description.declared = declared_fields(function)
    description.name = description.declared.pop("name", description.name)
    return description


def _public_functions(module: Any) -> dict[str, Any]:
    """Return the functions in `__all__`, or those defined in the module without a leading underscore."""
    listed = getattr(module, "__all__", None)
    functions: dict[str, Any] = {}
    for name in listed if listed is not None else list(vars(module)):
        item = vars(module).get(name)
        is_own = inspect.isfunction(item) and (listed is not None or item.__module__ == module.__name__)
        if is_own and (listed is not None or not name.startswith("_")) and name != "main":
            functions[name] = item
    return functions


# What the decorators of MCP frameworks have registered


def servers_of(module: Any) -> dict[str, Any]:
    """Return the MCP servers in a module by name."""
    return {name: value for name, value in vars(module).items() if is_server(value)}


def is_server(value: Any) -> bool:
    """True if `value` is a FastMCP server, or one of the MCP SDK."""
    return any(
        each.__name__ in _SERVERS and each.__module__.partition(".")[0] in ("fastmcp", "mcp")
        for each in type(value).__mro__
    )


def import_command(place: str) -> str:
    """Return the command that imports the tools of a server."""
    return f"toolgen import fastmcp {place} --implement"


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
