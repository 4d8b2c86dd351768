"""The shop and its workspace, fresh for each test."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from examples.store import database
from examples.store.reader import Reader
from examples.store.workspace import Workspace


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return database.database(tmp_path)


@pytest.fixture
def db(shop: Path) -> Iterator[sqlite3.Connection]:
    with closing(database.connect(shop)) as connection:
        yield connection


@pytest.fixture
def reader(shop: Path) -> Reader:
    return Reader(shop)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(database.workspace_folder(tmp_path))
