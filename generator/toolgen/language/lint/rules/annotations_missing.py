"""annotations-missing: a tool that does not say whether it only reads.

Example:

    title: Find orders

Use instead:

    title: Find orders
    annotations: {readOnlyHint: true}
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.program import ProgramTool


def check(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Warn about a tool with neither `readOnlyHint` nor `destructiveHint`."""
    hints = tool.spec.annotations
    if hints is None or (hints.readOnlyHint is None and hints.destructiveHint is None):
        yield Diagnostic(
            tool.source.key(("name",) if hints is None else ("annotations",)),
            "annotations-missing",
            "clients cannot see whether this tool changes anything, and must suppose that it destroys",
            "add `annotations: {readOnlyHint: true}` if it only reads, or else `destructiveHint`",
        )
