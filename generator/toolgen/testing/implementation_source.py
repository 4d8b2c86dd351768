"""How a tool is implemented, by the source of its module: nothing is imported or called."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

from toolgen.runtime.implementations.implementation_faults import find_module
from toolgen.runtime.implementations.registry import Catalog

_STUB_ERROR: Final = "NotImplementedToolError"
_HTTP_TOOL: Final = "HttpTool"


def has_implementation(package: str, name: str) -> bool:
    """True if the module of a tool exists, and is not the stub that `toolgen new` wrote.

    `package` is the generated one, `name` that of a tool in its catalog.
    """
    source = _source_of(package, name)
    return source is not None and not is_stub(source)


def calls_http_api(package: str, name: str) -> bool:
    """True if a tool is implemented as an HttpTool, by `toolgen import openapi --implement` mostly."""
    return _HTTP_TOOL in (_source_of(package, name) or "")


def _source_of(package: str, name: str) -> str | None:
    """Return the source of a tool's module, empty for a compiled one; None without a module."""
    catalog: Catalog = import_module(f"{package}.catalog")
    found = find_module(catalog, catalog.TOOLS[name])
    if found is None:
        return None
    return getattr(found.loader, "get_source", lambda name: None)(found.name) or ""


def is_stub(source: str) -> bool:
    """True if all that `execute` does is to say that the tool is not implemented."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False  # something was written, and `check` says why it is not Python
    bodies = list(_bodies_of_execute(tree))
    return bool(bodies) and all(map(_only_raises, bodies))


def _bodies_of_execute(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    for node in tree.body:
        for each in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name == "execute":
                yield each.body


def _only_raises(body: list[ast.stmt]) -> bool:
    *before, last = body
    raised: Any = getattr(last, "exc", None)
    name = getattr(getattr(raised, "func", None), "id", "")
    docstrings = all(isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) for each in before)
    return docstrings and name == _STUB_ERROR
