"""The names of the files that `generate` writes, which follow from the names of tools and templates alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toolgen.compile.printing.render import TOOL, outputs_of
from toolgen.compile.reading.parse import parse
from toolgen.compile.reading.read import read
from toolgen.data.target import Target
from toolgen.python_source.names import snake


def tool_files(name: str, targets: Sequence[Target]) -> list[str]:
    """Return the files of the tool with the wire name `name`, sorted, below the output folder."""
    py_name = snake(name, "tool")
    return sorted(path.replace(TOOL, py_name) for path in _outputs(targets) if TOOL in path)


def index_files(targets: Sequence[Target]) -> list[str]:
    """Return the files that all tools share, sorted, without the manifest."""
    return sorted(path for path in _outputs(targets) if TOOL not in path)


def enabled_tools(texts: Mapping[str, bytes], prefix: str, targets: Sequence[Target]) -> list[str]:
    """Return the names of the enabled tools, sorted; places in them are shown with `prefix`.

    Raises `SpecErrors` for specs that are refused by themselves; their references are not followed.
    """
    parsed = parse(read(texts, prefix), targets)
    return sorted(spec.name for spec, _ in parsed.tools if spec.enabled)


def disabled_modules(texts: Mapping[str, bytes], prefix: str, targets: Sequence[Target]) -> list[str]:
    """Return the names of the modules that would implement the tools that are not enabled."""
    parsed = parse(read(texts, prefix), targets)
    return sorted(snake(spec.name, "tool") for spec, _ in parsed.tools if not spec.enabled)


def _outputs(targets: Sequence[Target]) -> Iterator[str]:
    for target in targets:
        yield from outputs_of(target).values()
