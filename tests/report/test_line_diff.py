"""Diffs: as difflib makes them, and in bounded time."""

from __future__ import annotations

import difflib

from toolgen.cli.report.text import unified_diff

from tests.processes import processor_limit


def test_a_diff_is_that_of_difflib() -> None:
    old, new = [f"{n}\n" for n in range(50)], [f"{n}\n" for n in range(50) if n % 9]
    assert list(unified_diff(old, new, "a", "b", n=1)) == list(difflib.unified_diff(old, new, "a", "b", n=1))


def test_lines_that_repeat_do_not_take_long() -> None:
    """With `difflib`, this takes more than ten seconds."""
    new = [line for n in range(90) for line in ("}\n", f"u{n}\n")]
    old = [line for n in range(40_000) for line in ("}\n", f"v{n}\n")]
    with processor_limit(2):
        head, to, hunk, *lines = unified_diff(old, new, "a", "b")
        assert (head, to, hunk) == ("--- a\n", "+++ b\n", "@@ -1,80000 +1,180 @@\n")
        assert len(lines) == len(old) + len(new)
