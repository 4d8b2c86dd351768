"""Implementations of the gallery's tools, one module per tool, and the values that are injected into them.

`CONTEXT` has the values that the default toolkit injects. For another data folder, an application creates its
own: `catalog.toolkit(context=context(folder))`.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from examples.store import database
from examples.store.command_rules import RULES
from examples.store.commands import Runner
from examples.store.reader import Reader
from examples.store.workspace import Workspace


def context(folder: Path | None = None) -> dict[str, Callable[[], Any]]:
    """Return the injected values by name: factories, which are called once per call of a tool.

    The data is in `folder`, or without one in `TOOLGEN_EXAMPLES_DATA` at the time of the call.
    """

    def here() -> Path:
        if folder is None:
            return database.data_folder()
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    @asynccontextmanager
    async def db() -> AsyncIterator[sqlite3.Connection]:
        path = await asyncio.to_thread(database.database, here())  # the first use fills it
        with closing(database.connect(path)) as connection:
            yield connection

    def reader() -> Reader:
        return Reader(database.database(here()))

    def workspace() -> Workspace:
        return Workspace(database.workspace_folder(here()))

    def runner() -> Runner:
        return Runner(workspace(), RULES)

    return {"db": db, "reader": reader, "workspace": workspace, "runner": runner}


CONTEXT = context()
