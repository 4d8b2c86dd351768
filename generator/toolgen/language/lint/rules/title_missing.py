"""title-missing: a tool without a title for people.

Example:

    annotations: {readOnlyHint: true}

Use instead:

    title: Find orders
    annotations: {readOnlyHint: true}
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.program import ProgramTool


def check(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Warn about a tool with neither `title` nor `annotations.title`."""
    hints = tool.spec.annotations
    if tool.spec.title is None and (hints is None or hints.title is None):
        yield Diagnostic(
            tool.source.key(("name",)),
            "title-missing",
            "this tool has no title",
            "add `title`, a name for people; `toolgen lint --fix` makes one from the name",
        )
