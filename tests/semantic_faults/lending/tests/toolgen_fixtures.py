"""Fresh data for each example of `toolgen test`, on a day on which the examples hold."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from lending import data
from lending.store import Library
from lending.tools import context
from toolgen.runtime import Toolkit

from generated import catalog

TODAY = date(2024, 1, 15)


def toolgen_toolkit(folder: Path) -> Toolkit:
    """Return a toolkit whose library is in `folder`, with the demo data if it is new."""
    with Library(folder, TODAY).connect():
        pass
    return catalog.toolkit(context=context(folder, TODAY))


def toolgen_state(folder: Path) -> Any:
    """Return all tables of the library in `folder`."""
    with Library(folder, TODAY).connect() as db:
        return {name: [list(row) for row in db.execute(f"SELECT * FROM {name}")] for name in data.NAMES}
