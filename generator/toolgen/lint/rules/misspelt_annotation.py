"""misspelt-annotation: a key of `annotations` is almost one of MCP's, or a field of the tool.

Example:

    annotations: {readOnly: true}

Use instead:

    annotations: {readOnlyHint: true}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.program import ProgramTool
from toolgen.data.spec import Annotations, Spec
from toolgen.suggestions import nearest, quoted, suggest

_KNOWN: Final = {name.lower(): name for name in Annotations.model_fields}
_CUTOFF: Final = 0.8  # of similarity: `readOnly` means `readOnlyHint`, `audience` is another key


def check(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Warn about keys that differ from an annotation of MCP in spelling only, and fields of the tool."""
    hints = tool.spec.annotations
    for key in (hints and hints.model_extra) or ():
        if key in Spec.model_fields:
            yield Diagnostic(
                tool.source.key(("annotations", key)),
                "misspelt-annotation",
                f"{quoted(key)} is a field of the tool, and no annotation of MCP",
                "move it out of `annotations`, to the top of the spec",
            )
            continue
        found = nearest(key.replace("_", "").replace("-", ""), _KNOWN, cutoff=_CUTOFF)
        if found:
            yield Diagnostic(
                tool.source.key(("annotations", key)),
                "misspelt-annotation",
                f"{quoted(key)} is not an annotation of MCP, and clients ignore it",
                suggest(key, _KNOWN[found]),
            )
