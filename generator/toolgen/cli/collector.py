"""The garbage collector of Python, for commands that end soon and run no code of the project."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pause the collector, for work that makes almost no garbage, so that looking for it only costs time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.freeze()  # or the first object afterwards would have it look at all that was made
            gc.enable()


def skip_final_collection() -> None:
    """Let the process end without looking for cycles, which takes a tenth of the time of a short command.

    Not for commands that run code of the project, whose objects may have to write something when they end.
    """
    atexit.register(gc.freeze)  # the collector passes over frozen objects
