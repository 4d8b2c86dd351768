"""Differences between two JSON values, for people."""

from __future__ import annotations

import difflib
import json
from typing import Any, Final

MAX_LINES: Final = 40
MAX_WIDTH: Final = 200  # characters of a line


def diff_lines(expected: Any, actual: Any) -> tuple[str, ...]:
    """Return the lines of a diff from `expected` (-) to `actual` (+), without those far from a difference."""
    lines = difflib.unified_diff(_lines(expected), _lines(actual), lineterm="", n=1)
    shown = [line if len(line) <= MAX_WIDTH else f"{line[: MAX_WIDTH - 1]}…" for line in lines][2:]
    return (*shown[:MAX_LINES], *(["…"] if len(shown) > MAX_LINES else []))


def _lines(value: Any) -> list[str]:
    return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True, default=repr).splitlines()
