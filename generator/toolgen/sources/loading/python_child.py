"""Child process of `import python`: import modules and write descriptions of their functions to a JSON file.

It is a process of its own because importing a module runs it: it may print, hang, exit or crash.
`toolgen.base.child_process` calls `main` in it.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Iterator
from typing import Any

import typing_extensions

from toolgen.sources.imported_tool import SourceError
from toolgen.sources.python.signature import FunctionDescription, describe_function

from .decorated import (
    declared_fields,
    declared_kind,
    import_command,
    is_server,
    refuse_registered,
    servers_of,
    without_dependencies,
)
from .imported_module import answer_in_child, import_target


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
    if function_name != "*":
        function = _find(module, function_name, target)
        if is_server(function):
            raise SourceError(f"{target} is an MCP server, not a function", import_command(target))
        refuse_registered(function, module, target)
        yield _described(function, module, function_name)
        return
    for name in servers_of(module):
        place = f"{module.__name__}:{name}"
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


def _find(module: Any, path: str, target: str) -> Any:
    found = module
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except Exception:  # modules and classes may define __getattr__
            names = list(_public_functions(module))
            hint = f"it has {', '.join(names[:8])}" if names else "it has no public functions"
            raise SourceError(f"{target}: {module.__name__} has no {path!r}", hint) from None
    return found


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
