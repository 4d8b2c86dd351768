"""Implementations of the library's tools, and the values that are injected into them."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

from lending.store import Library


def context(folder: Path | None = None, today: date | None = None) -> dict[str, Callable[[], Any]]:
    """Return the injected values: the library in `folder`, by default in `LENDING_DATA`, on the day `today`."""

    def library() -> Library:
        here = folder or Path(os.environ.get("LENDING_DATA", "."))
        here.mkdir(parents=True, exist_ok=True)
        return Library(here, today or date.today())

    return {"library": library}


CONTEXT = context()
