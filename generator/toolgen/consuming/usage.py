"""Which tools code calls by a client, which arguments it gives, and what it reads of responses."""

from __future__ import annotations

from toolgen.consuming.lock import ToolUse


def find_uses() -> dict[str, ToolUse]:
    """Return the uses of tools in Python files, by the names that the server lists."""
    return {}
