"""The gallery's data is created once, on first use."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

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
