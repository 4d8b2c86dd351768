"""How far a long piece of work is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with the kind of work, the number of things that are done, and the number of all."""


def no_progress(work: str, done: int, total: int) -> None:
    """Show nothing."""
