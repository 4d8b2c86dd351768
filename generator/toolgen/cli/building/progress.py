"""A word now and then, while many tools are made."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence

from toolgen.cli.building.crew import Make, crew
from toolgen.cli.out import say
from toolgen.incremental import Made

_PATIENCE = 1.0  # seconds that nobody minds
_CLEAR = "\r\x1b[K"


def watched(make: Make, paths: Sequence[str]) -> Iterator[Made]:
    """The crew, which says on a terminal how far it has come."""
    return counted(crew(make, paths), len(paths))


def counted(parts: Iterable[Made], total: int) -> Iterator[Made]:
    """`parts` as they come, and on a terminal how many specs of `total` they were."""
    after = time.monotonic() + _PATIENCE if sys.stderr.isatty() else float("inf")
    done, spoke = 0, False
    try:
        for part in parts:
            done += len(part or ())
            if time.monotonic() > after:
                say(f"{_CLEAR}making tools: {min(done, total)} of {total}", end="")
                spoke = True
            yield part
    finally:
        if spoke:
            say(_CLEAR, end="")  # leave the line as it was found
