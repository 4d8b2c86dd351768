"""ruff sorts the imports of what templates print, and removes those that are not used."""

from __future__ import annotations

from toolgen.compile.printing.format import format_tree
from toolgen.compile.python_source.literals import all_statement, import_as, import_from

CODE = f"""
from __future__ import annotations
{import_from("package.module", ["A10", "A9", "unused", "TOOLS"])}
{import_as("package", "Order", "ShopOrder")}
from typing import TYPE_CHECKING, Any
if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator
    import sqlite3

{all_statement(["TOOLS", "A10", "A9", "ShopOrder", "f"])}
def f(a: Any) -> Awaitable[sqlite3.Connection]: ...
"""


def test_imports() -> None:
    wanted = """\
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from package import Order as ShopOrder
from package.module import A9, A10, TOOLS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Awaitable

__all__ = ["A9", "A10", "TOOLS", "ShopOrder", "f"]


def f(a: Any) -> Awaitable[sqlite3.Connection]: ...
"""
    assert format_tree({"a.py": CODE}, sorts_imports=True)["a.py"] == wanted
