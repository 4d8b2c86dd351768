"""The size of stubs, beside that of the definitions that a model would be sent in their place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from toolgen.measuring.units import NOUNS, compact_text, text_measures
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.stubs.printed import PrintedStubs
from toolgen.suggestions import count


def stub_sizes(printed: PrintedStubs, definitions: Iterable[ToolDefinition]) -> Iterator[str]:
    """Yield the lines of a table: each tool, the largest first, what several of them use, and all.

    Sizes are in bytes, and in tokens of o200k if the extra `tokens` is installed.
    """
    measures = text_measures()
    rows = {name: _sizes(text, measures) for name, text in printed.tools.items()}
    parts = [(name, rows[name]) for name in sorted(rows, key=lambda name: (-rows[name][0], name))]
    if printed.shared:
        parts.append(("types of several tools", _sizes(printed.shared, measures)))
    parts.append((f"all, {count(len(rows), 'tool')}", _sizes(printed.text, measures)))
    listed = compact_text([_listed(each) for each in definitions])
    parts.append(("their definitions in JSON", _sizes(listed, measures)))
    yield "".join(f"{NOUNS[unit]:>10}" for unit in measures)
    for label, sizes in parts:
        yield f"{''.join(f'{size:>10,}' for size in sizes)}  {label}"


def _sizes(text: str, measures: Mapping[str, Callable[[str], int]]) -> list[int]:
    return [measure(text) for measure in measures.values()]


def _listed(definition: ToolDefinition) -> dict[str, Any]:
    """Return what MCP's `tools/list` says of names, texts and schemas."""
    keys = {"name": "name", "description": "description", "input_schema": "inputSchema"}
    keys["output_schema"] = "outputSchema"
    return {listed: definition.get(key) for key, listed in keys.items() if key in definition}
