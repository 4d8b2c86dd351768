"""misplaced-annotation: a key of `annotations` is a field of the tool.

Example:

    annotations: {description: Read an order.}

Use instead:

    description: Read an order.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.base.suggestions import quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.program import ProgramTool
from toolgen.language.spec import Spec


def check(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Warn about keys of `annotations` that are fields of the tool."""
    hints = tool.spec.annotations
    for key in (hints and hints.model_extra) or ():
        if key in Spec.model_fields:
            yield Diagnostic(
                tool.source.key(("annotations", key)),
                "misplaced-annotation",
                f"{quoted(key)} is a field of the tool, and no annotation of MCP",
                "move it out of `annotations`, to the top of the spec",
            )
