"""The gallery's tools do only what the user approved, even if the state changes while the user decides."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from toolgen.runtime import ToolContext

from examples.store import database
from examples.tools import context
from generated import catalog
from tests.scopes import SCOPES


def sql(statement: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        with closing(sqlite3.connect(database.database(folder))) as db, db:
            db.execute(statement)

    return change


def text(path: str, content: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        file = database.workspace_folder(folder) / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(content)

    return change


LONG = "".join(f"line {number}\n" for number in range(100))
ORDER = {"supplier_id": 3, "location_id": 2, "order_number": "PO-2026-0005"}
CASES: list[Any] = [
    pytest.param(
        "create_purchase_order",
        ORDER | {"items": [{"sku": "CHN-11S", "quantity": 20}]},
        sql("UPDATE items SET list_price_cents = list_price_cents * 100 WHERE sku = 'CHN-11S'"),
        id="a price",
    ),
    pytest.param(
        "write",
        {"path": "README.md", "text": LONG, "mode": "replace"},
        text("README.md", LONG.replace("line 99", "line of somebody else's")),
        id="a part of a file that is not shown",
    ),
]


def state(folder: Path) -> tuple[list[str], dict[str, bytes]]:
    """Return everything that the tools could have changed."""
    with closing(sqlite3.connect(database.database(folder))) as db:
        rows = list(db.iterdump())
    workspace = database.workspace_folder(folder)
    return rows, {str(path): path.read_bytes() for path in workspace.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("name", "arguments", "change"), CASES)
def test_the_tool_checks_the_approval_in_its_transaction(
    tmp_path: Path, name: str, arguments: dict[str, Any], change: Callable[[Path], None]
) -> None:
    """The state can change after the runtime's own check."""
    from toolgen.runtime import Approval, ChangedSinceConfirmedError

    toolkit = catalog.toolkit(context=context(tmp_path))
    tool: Any = toolkit.get(name)
    old = asyncio.run(toolkit.preview(name, arguments, scopes=SCOPES)).content["message"]
    change(tmp_path)
    before = state(tmp_path)
    with closing(database.connect(database.database(tmp_path))) as db:
        injected = {"workspace": context(tmp_path)["workspace"]()} if name == "write" else {"db": db}
        approved = ToolContext("call", name, approval=Approval(old, "?", None))
        with pytest.raises(ChangedSinceConfirmedError):
            tool.execute(tool.check_inputs(arguments), approved, **injected)
        assert state(tmp_path) == before
        new = asyncio.run(toolkit.preview(name, arguments, scopes=SCOPES)).content["message"]
        approved = ToolContext("call", name, approval=Approval(new, "?", None))
        tool.execute(tool.check_inputs(arguments), approved, **injected)
    assert state(tmp_path) != before
