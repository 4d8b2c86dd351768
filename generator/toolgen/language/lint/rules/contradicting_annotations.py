"""contradicting-annotations: a tool is annotated both read-only and destructive.

Example:

    annotations: {readOnlyHint: true, destructiveHint: true}

Use instead:

    annotations: {readOnlyHint: false, destructiveHint: true}
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.program import ProgramTool


def check(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Warn about a tool with `readOnlyHint` and `destructiveHint`."""
    hints = tool.spec.annotations
    if hints is not None and hints.destructiveHint and hints.readOnlyHint:
        yield Diagnostic(
            tool.source.value(("annotations", "destructiveHint")),
            "contradicting-annotations",
            "a tool with readOnlyHint: true cannot be destructive",
            "set readOnlyHint or destructiveHint to false",
        )
