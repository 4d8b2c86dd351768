"""Print how many bytes of definitions models are sent, and warn where they are many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolgen.base.suggestions import count
from toolgen.cli.output import say

if TYPE_CHECKING:
    from toolgen.language.sizes import TargetSize

MANY_BYTES: Final = 100_000
"""Size of all definitions of a target above which a warning says how to send less."""

_WAYS_OUT: Final = "import fewer operations (`--include`, `--max`), or disable tools (`enabled: false`)"
_WITHOUT_OUTPUT_SCHEMAS: Final = {
    "gemini": "leave out output schemas (`targets.gemini.output_schema: false`)",
    "mcp": "leave out output schemas (`targets.mcp.output_schema: false`, "
    "or `[mcp] output_schema = false` for all)",
}
"""Target that publishes output schemas → how to leave them out."""


def show_sizes(sizes: Sequence[TargetSize]) -> None:
    """Print one line with the size for each target, and a warning for each that is large."""
    if sizes:
        of_targets = (f"{each.target}: {each.bytes:,} bytes" for each in sizes)
        say(", ".join((*of_targets, count(sizes[0].tools, "tool"))))
    say(*(_warning(each) for each in sizes if each.bytes > MANY_BYTES), always=True)


def sizes_data(sizes: Iterable[TargetSize]) -> dict[str, Any]:
    """Return the sizes for `--format json`, by target."""
    return {
        each.target: {"bytes": each.bytes, "tools": each.tools, "largest": dict(each.largest)}
        for each in sizes
    }


def _warning(size: TargetSize) -> str:
    ways_out = "; ".join(filter(None, (_WITHOUT_OUTPUT_SCHEMAS.get(size.target), _WAYS_OUT)))
    largest = ", ".join(f"{name} ({of_tool:,})" for name, of_tool in size.largest.items())
    return (
        f"{size.target}: more than {MANY_BYTES:,} bytes are much to send with every request; "
        f"the largest tools are {largest}; to send less: {ways_out}"
    )
