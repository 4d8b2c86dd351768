"""Implementations of the gallery's tools: one module a tool, and what they are given.

`CONTEXT` is what the default toolkit injects. An application with another data folder makes its own:
`catalog.toolkit(context=context(folder))`.
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
    """What the tools inject, by name: factories, called once for each call of a tool.

    The data is in `folder`; without one, where `TOOLGEN_EXAMPLES_DATA` says at the time of the call.
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
