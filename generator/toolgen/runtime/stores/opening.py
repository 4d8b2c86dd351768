"""Open the store that a setting names, and use it from an event loop without blocking that."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from toolgen.runtime.health import HEALTH
from toolgen.runtime.own_threads import OwnThreads
from toolgen.runtime.settings import SettingError, variable

from .backends import SECONDS, MemoryStore, RedisStore, SqliteStore, Store
from .backends import StoreError as StoreError  # what `ask` raises

Result = TypeVar("Result")

WAIT_SECONDS: Final = 2 * SECONDS  # that a call waits for a store: for a thread, and for the answer

_SQLITE: Final = "sqlite:///"
_REDIS: Final = ("redis://", "rediss://", "unix://")
_THREADS: Final = OwnThreads("store", 16)


def open_store(setting: str, text: str, *, memory: Callable[[], Store] = MemoryStore) -> Store:
    """Return the store that the value `text` of a setting names; `memory` returns the one of this process.

    Raises SettingError, which never contains a password of the URL, if the store cannot be used.
    """
    name = variable(setting)
    if text == "memory":
        return memory()
    if text.startswith(_SQLITE) and len(text) > len(_SQLITE):
        path = Path(text.removeprefix(_SQLITE))
        try:
            return SqliteStore(path)
        except sqlite3.Error as error:
            raise SettingError(f"{name}: {path}: {error}") from error
    if text.startswith(_REDIS):
        try:
            return RedisStore(text)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != "redis":
                raise
            raise SettingError(f"{name} needs the package redis: pip install 'toolgen[redis]'") from error
        except ValueError as error:
            raise SettingError(f"{name} is not a Redis URL: {error}") from error
    kind = text.partition(":")[0]  # the rest may contain a password
    raise SettingError(f"{name} must be memory, sqlite:///path or redis://host:port, not {kind!r}")


async def ask(store: Any, question: Callable[[], Result], *, part: str) -> Result:
    """Return `question()`, called in a thread if the store is `blocking`.

    `part` names the store in the health of the process. Raises StoreError, also after WAIT_SECONDS.
    """
    if not store.blocking:
        return question()
    try:
        answer = await asyncio.wait_for(_THREADS.run(question), WAIT_SECONDS)
    except TimeoutError:
        error = StoreError(f"it did not answer within {WAIT_SECONDS:g} seconds")
        HEALTH.degrade(part, str(error))
        raise error from None
    except StoreError as error:
        HEALTH.degrade(part, str(error))
        raise
    HEALTH.recover(part)
    return answer
