"""Names in a module as the program finds them: of types, of exceptions, of what only type checkers import."""

from __future__ import annotations

import ast
import inspect
import sys
import types
import typing
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Union, get_args, get_origin


def resolved(hint: Any, function: Any) -> Any:
    """The type that `hint` stands for, which may be written as text. Raises whatever its expression does."""
    holder = types.SimpleNamespace(__annotations__={"it": hint})
    names: dict[str, Any] = getattr(function, "__globals__", {})
    try:
        return typing.get_type_hints(holder, globalns=names, localns={}, include_extras=True)["it"]
    except NameError:
        names = {**guarded(str(getattr(function, "__module__", ""))), **names}
        return typing.get_type_hints(holder, globalns=names, localns={}, include_extras=True)["it"]


@cache
def guarded(name: str) -> dict[str, Any]:
    """What the module `name` imports under `if TYPE_CHECKING:`, imported."""
    module = sys.modules.get(name)
    try:
        tree = ast.parse(inspect.getsource(module)) if module else ast.parse("")
    except (OSError, SyntaxError):
        return {}
    blocks = [node.body for node in tree.body if isinstance(node, ast.If) and _checks_types(node.test)]
    package = str(getattr(module, "__package__", "") or "")
    return {key: value for body in blocks for key, value in _imported(body, package).items()}


def _checks_types(test: ast.expr) -> bool:
    return ast.unparse(test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _imported(body: list[ast.stmt], package: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for node in body:
        try:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    module = import_module(alias.name)
                    root = sys.modules[alias.name.partition(".")[0]]
                    found[alias.asname or root.__name__] = module if alias.asname else root
            elif isinstance(node, ast.ImportFrom):
                module = import_module("." * node.level + (node.module or ""), package)
                found |= {alias.asname or alias.name: getattr(module, alias.name) for alias in node.names}
        except Exception:  # noqa: S112  importing runs code; the hints that need this one say so
            continue
    return found


def members(hint: Any) -> tuple[Any, ...]:
    """The types of a union, `None` left out; of another type, itself."""
    if get_origin(hint) is Annotated:
        return members(get_args(hint)[0])
    if get_origin(hint) in (Union, types.UnionType):
        return tuple(part for part in get_args(hint) if part is not type(None))
    return (hint,)


def dotted(hint: Any) -> str:
    """Where generated code finds a type: `sqlite3.Connection`; `typing.Any` where no name leads to it."""
    parts = members(hint)
    cls = get_origin(parts[0]) or parts[0] if len(parts) == 1 else None
    if not isinstance(cls, type):
        return "typing.Any"
    name = cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
    return name if leads_to(cls.__module__, cls.__qualname__, cls) else "typing.Any"


def leads_to(module: str, path: str, wanted: Any) -> bool:
    """Whether `path` in `module` is `wanted`, and both are names that generated code can be given."""
    if not all(part.isidentifier() and part.isascii() for part in (*module.split("."), *path.split("."))):
        return False
    try:
        found: Any = import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return False
    return found is wanted or found == wanted  # a bound method is made anew each time


def exception(written: str, function: Any) -> str:
    """Where the exception is that a docstring names, MODULE:NAME; nothing where no name leads to it."""
    names = getattr(function, "__globals__", {})
    first, *rest = written.split(".")
    found = names.get(first, getattr(sys.modules["builtins"], first, None))
    for part in rest:
        found = getattr(found, part, None)
    if not (isinstance(found, type) and issubclass(found, Exception)):
        return ""
    module, name = found.__module__, found.__qualname__
    return f"{module}:{name}" if "." not in name and leads_to(module, name, found) else ""
