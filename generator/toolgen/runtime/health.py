"""Parts of this process that do not work now, such as a store that does not answer."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Final

from .logs.logger import LOGGER


class Health:
    """The degraded parts by name, each with the reason. Safe to use from several threads.

    A part is noted by the code that uses it: nothing is probed. Reasons contain no values of callers.
    """

    def __init__(self) -> None:
        self._degraded: dict[str, str] = {}
        self._lock = threading.Lock()

    @property
    def degraded(self) -> Mapping[str, str]:
        """The names of the degraded parts, and why each is."""
        with self._lock:
            return dict(self._degraded)

    def degrade(self, part: str, reason: str) -> None:
        """Note that a part does not work. One record is logged until it works again."""
        with self._lock:
            is_new = part not in self._degraded
            self._degraded[part] = reason
        if is_new:
            LOGGER.warning("degraded: %s: %s", part, reason, extra={"event": "degraded", "part": part})

    def recover(self, part: str) -> None:
        """Note that a part works."""
        if part not in self._degraded:  # nearly always, without the lock
            return
        with self._lock:
            was_degraded = self._degraded.pop(part, None) is not None
        if was_degraded:
            LOGGER.info("works again: %s", part, extra={"event": "recovered", "part": part})


HEALTH: Final = Health()
"""Of this process: its probes and its metrics show it."""
