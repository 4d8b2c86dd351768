"""Which shared files a shared file leads to, and which of them lead back."""

from __future__ import annotations

from collections.abc import Mapping, Set


def all_uses(direct: Mapping[str, Set[str]]) -> dict[str, frozenset[str]]:
    """Return the files that each file refers to, directly or not; itself only if it is in a circle."""
    found: dict[str, frozenset[str]] = {}
    for path in direct:
        used: set[str] = set()
        waiting = [*direct[path]]
        while waiting:
            other = waiting.pop()
            if other not in used:
                used.add(other)
                waiting += found[other] if other in found else direct[other]
        found[path] = frozenset(used)
    return found


def circle_of(path: str, uses: Mapping[str, Set[str]]) -> tuple[str, ...]:
    """Return the files that lead to `path` and that it leads to, sorted, with `path` itself."""
    return tuple(sorted({path, *(other for other in uses[path] if path in uses[other])}))
