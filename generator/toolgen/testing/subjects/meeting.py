"""Let one call meet another at a line of the project's code, between what it reads and what it writes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Final

import toolgen

MEET_SECONDS: Final = 0.1  # that the first call waits: the second one may need a lock that the first has
_MAX_LINES: Final = 20_000
_TOOLGEN: Final = str(Path(toolgen.__file__).parent)  # editable installations are not in site-packages


@dataclass(slots=True)
class Meeting:
    """A watch on the lines that new threads run. At line number `at`, it begins the second call and waits."""

    at: int = -1  # counted from 0; -1: only count
    begin: Callable[[], object] = lambda: None
    ended: threading.Event = field(default_factory=threading.Event)  # set when the second call has ended
    last: dict[tuple[str, int], int] = field(default_factory=dict)  # file, line → its latest number
    _count: int = 0
    _has_met: bool = False
    _own: dict[str, bool] = field(default_factory=dict)  # file → it is of the project

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch threads that start meanwhile."""
        before = threading.gettrace()
        threading.settrace(self._enter)
        try:
            yield
        finally:
            self._has_met = True  # threads that still run keep their trace function
            threading.settrace(before)

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        if self._has_met or not self._is_own(frame.f_code.co_filename):
            return None
        return self._line

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event != "line" or self._has_met or self._count > _MAX_LINES:  # enough places
            return self._line
        number, self._count = self._count, self._count + 1
        self.last[frame.f_code.co_filename, frame.f_lineno] = number
        if number == self.at:
            self._has_met = True
            self.begin()
            self.ended.wait(MEET_SECONDS)
        return self._line

    def _is_own(self, file: str) -> bool:
        if file not in self._own:
            is_inside = file.startswith(str(Path.cwd()))
            is_library = file.startswith((_TOOLGEN, sys.prefix)) or "site-packages" in file
            self._own[file] = is_inside and not is_library
        return self._own[file]


def places_to_meet(last: dict[tuple[str, int], int], count: int) -> list[int]:
    """Return up to `count` numbers of lines, spread over the latest run of each line."""
    numbers = sorted(last.values())
    if len(numbers) <= count:
        return numbers
    return sorted({numbers[index * len(numbers) // count] for index in range(count)})
