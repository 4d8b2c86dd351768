"""Annotations that contradict each other, are misspelt, or promise a confirmation that nobody asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.program import ProgramTool
from toolgen.data.spec import Annotations
from toolgen.suggestions import quoted

_KNOWN: Final = {name.lower(): name for name in Annotations.model_fields}
_CUTOFF: Final = 0.8  # of similarity: `readOnly` is meant to be `readOnlyHint`, `audience` is its own key


def check_annotations(tool: ProgramTool) -> Iterator[Diagnostic]:
    """Warnings about a tool's annotations, each at its own place."""
    hints, confirm = tool.spec.annotations, tool.spec.confirm
    if hints is None:
        return
    yield from _misspelt(tool, hints)
    if not hints.destructiveHint:
        return
    place = tool.source.value(("annotations", "destructiveHint"))
    if hints.readOnlyHint:
        yield Diagnostic(
            place,
            "contradicting-annotations",
            "a tool with readOnlyHint: true cannot be destructive",
            "set one of the two to false",
        )
    elif confirm is None:
        yield Diagnostic(
            place,
            "destructive-unconfirmed",
            "nobody is asked before this destructive tool acts",
            "add `confirm: {message: …}`; or destructiveHint: false, if it only adds",
        )
    elif confirm.on_unsupported == "allow":
        yield Diagnostic(
            tool.source.value(("confirm", "on_unsupported")),
            "destructive-unconfirmed",
            "this destructive tool acts unasked for clients that cannot ask the user",
            "use `deny`, or `two_step`, which has the application ask",
        )


def _misspelt(tool: ProgramTool, hints: Annotations) -> Iterator[Diagnostic]:
    if not hints.model_extra:
        return
    from difflib import get_close_matches  # expensive, and rarely needed

    for key in hints.model_extra:
        folded = key.lower().replace("_", "").replace("-", "")
        near = get_close_matches(folded, _KNOWN, n=1, cutoff=_CUTOFF)
        if near:
            yield Diagnostic(
                tool.source.key(("annotations", key)),
                "misspelt-annotation",
                f"{quoted(key)} is not an annotation of MCP, and clients ignore it",
                f"did you mean {_KNOWN[near[0]]!r}?",
            )
