"""The gallery's data is created once, on first use."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from examples.store import database, schema


def test_concurrent_first_uses_create_the_data_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        shops = set(pool.map(lambda _: database.database(tmp_path), range(8)))
        workspaces = set(pool.map(lambda _: database.workspace_folder(tmp_path), range(8)))
    (shop,), (workspace,) = shops, workspaces
    with closing(database.connect(shop)) as db:
        assert db.execute("SELECT count(*) FROM items").fetchone()[0] == 19
        assert db.execute("PRAGMA user_version").fetchone()[0] == schema.VERSION
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert {path.name for path in tmp_path.iterdir()} == {shop.name, workspace.name}, "no litter"


def test_a_second_use_keeps_changes(tmp_path: Path) -> None:
    shop = database.database(tmp_path)
    (database.workspace_folder(tmp_path) / "README.md").write_text("mine")
    with closing(database.connect(shop)) as db:
        db.execute("DELETE FROM content")
    with closing(database.connect(database.database(tmp_path))) as db:
        assert db.execute("SELECT count(*) FROM content").fetchone()[0] == 0
    assert (database.workspace_folder(tmp_path) / "README.md").read_text() == "mine"


def test_the_sample_data_is_consistent(db: sqlite3.Connection) -> None:
    wrong = """SELECT order_number FROM purchase_orders AS o WHERE total_cents !=
        (SELECT sum(quantity * unit_price_cents) FROM purchase_order_lines WHERE order_id = o.id)"""
    assert db.execute(wrong).fetchall() == []


def test_the_data_folder_is_the_named_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(database.DATA_VARIABLE, str(tmp_path / "a" / "b"))
    assert database.data_folder() == tmp_path / "a" / "b"
    monkeypatch.delenv(database.DATA_VARIABLE)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert database.data_folder() == tmp_path / "toolgen-examples"


def test_a_transaction_is_all_or_nothing(db: sqlite3.Connection) -> None:
    def fail_halfway() -> None:
        with database.transaction(db):
            db.execute("UPDATE items SET in_stock = 0")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_halfway()
    assert db.execute("SELECT sum(in_stock) FROM items").fetchone()[0] > 0
    assert not db.in_transaction
