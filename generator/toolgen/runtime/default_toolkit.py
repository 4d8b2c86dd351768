"""The default toolkit of a generated package, shared by its adapters, so that each tool is set up once."""

from __future__ import annotations

import threading
from typing import Any

from .implementations.registry import Catalog
from .toolkit import Toolkit

_LOCK = threading.Lock()
_OPEN: dict[Catalog, Toolkit] = {}


def default_toolkit(catalog: Any) -> Toolkit:
    """Return the default toolkit of a generated `catalog` module; create it if there is none."""
    with _LOCK:
        toolkit = _OPEN.get(catalog)
        if toolkit is None:
            toolkit = _OPEN[catalog] = Toolkit.from_catalog(catalog)
        return toolkit


async def close_default_toolkit(catalog: Any) -> None:
    """Close the default toolkit of a generated `catalog` module, if there is one."""
    with _LOCK:
        toolkit = _OPEN.pop(catalog, None)
    if toolkit is not None:
        await toolkit.close()
