"""Unified diffs of files that somebody may have made to compare slowly."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

_MAX_PAIRS: Final = 500_000  # of equal lines, which takes about two seconds
_MAX_LINES: Final = 500_000


def unified_diff(
    old: Sequence[str],
    new: Sequence[str],
    old_name: str,
    new_name: str,
    *,
    n: int = 3,
    lineterm: str = "\n",
) -> Iterator[str]:
    """Yield a diff as `difflib.unified_diff` does; one that replaces all lines if that would take long."""
    if not _is_expensive(old, new):
        yield from difflib.unified_diff(old, new, old_name, new_name, lineterm=lineterm, n=n)
        return
    yield f"--- {old_name}{lineterm}"
    yield f"+++ {new_name}{lineterm}"
    yield f"@@ -1,{len(old)} +{min(len(new), 1)},{len(new)} @@{lineterm}"
    yield from (f"-{line}" for line in old)
    yield from (f"+{line}" for line in new)


def _is_expensive(old: Sequence[str], new: Sequence[str]) -> bool:
    """True if there are many lines, or many pairs of equal ones, which `difflib` follows again and again.

    It leaves out lines that are more than a hundredth of at least 200 new ones.
    """
    if len(old) > _MAX_LINES:
        return True
    counts = Counter(new)
    most = len(new) // 100 + 1 if len(new) >= 200 else len(new)
    return sum(counts[line] for line in old if counts[line] <= most) > _MAX_PAIRS
