"""Child process of `import python`: import modules and write descriptions of their functions to a JSON file.

It is a process of its own because importing a module runs it: it may print, hang, exit or crash.
`toolgen.base.child_process` calls `main` in it.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

import typing_extensions

from toolgen.base.suggestions import listed
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.python.signature import FunctionDescription, describe_function

from .imported_module import answer_in_child, find_in, import_target

_SERVERS: Final = ("FastMCP", "MCPServer")


def main(seconds: str, result: str, folder: str, *targets: str) -> None:
    def describe() -> dict[str, Any]:
        if sys.version_info < (3, 12):
            typing.TypedDict = typing_extensions.TypedDict  # pydantic accepts no other before 3.12
        return {"functions": [asdict(each) for target in targets for each in _describe(target, folder)]}

    answer_in_child(describe, seconds, result, folder)


def _describe(target: str, folder: str) -> Iterator[FunctionDescription]:
    module_name, colon, function_name = target.rpartition(":") if ":" in target else (target, "", "*")
    if colon and not function_name:
        raise SourceError(f"{target}: the name of the function is missing", "write MODULE:FUNCTION")
    module = import_target(module_name, folder, target)
    places = [f"{module.__name__}:{name}" for name, value in vars(module).items() if _is_server(value)]
    if function_name != "*":
        names = list(_public_functions(module))
        hint = f"it has {listed(names)}" if names else "it has no public functions"
        function = find_in(module, function_name, target, hint)
        if _is_server(function):
            raise SourceError(f"{target} is an MCP server, not a function", _import_command(target))
        description = describe_function(function, module.__name__, function_name)
        description.notes += [f"for the tools of {place}: {_import_command(place)}" for place in places]
        yield description
        return
    for place in places:
        hint = f"{_import_command(place)}; for another function, write MODULE:FUNCTION"
        raise SourceError(f"{target}: its functions belong to the MCP server {place}", hint)
    functions = _public_functions(module)
    if not functions:
        raise SourceError(f"{target}: no public functions in {module.__name__}", "write MODULE:FUNCTION")
    for name, function in functions.items():
        yield describe_function(function, module.__name__, name)


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


def _is_server(value: Any) -> bool:
    """True if `value` is a FastMCP server, or one of the MCP SDK."""
    return any(
        each.__name__ in _SERVERS and each.__module__.partition(".")[0] in ("fastmcp", "mcp")
        for each in type(value).__mro__
    )


def _import_command(place: str) -> str:
    """Return the command that imports the tools of a server."""
    return f"toolgen import fastmcp {place} --implement"
