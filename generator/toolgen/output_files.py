"""The names of the files that `generate` writes, which follow from the names of specs and templates alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from toolgen.compile.printing.render import SHARED, TOOL, outputs_of, shared_path, tool_path
from toolgen.compile.reading.parse import parse
from toolgen.compile.reading.read import read
from toolgen.data.target import Target
from toolgen.python_source.names import shared_module_name, tool_module


@dataclass(frozen=True, slots=True)
class SpecNames:
    """The tools and shared files of a project, by name."""

    tools: tuple[str, ...]  # wire names of the enabled ones, sorted
    shared: tuple[str, ...]  # paths of the files of shared schemas, sorted


def spec_names(texts: Mapping[str, bytes], prefix: str, targets: Sequence[Target]) -> SpecNames:
    """Return what is in the specs; places in them are shown with `prefix`.

    Raises `SpecErrors` for specs that are refused by themselves; their references are not followed.
    """
    parsed = parse(read(texts, prefix), targets)
    tools = sorted(spec.name for spec, _ in parsed.tools if spec.enabled)
    return SpecNames(tuple(tools), tuple(sorted(parsed.shared)))


def spec_files(names: SpecNames, targets: Sequence[Target]) -> list[str]:
    """Return the files of tools and of shared schemas, sorted, below the output folder."""
    found: list[str] = []
    for output in _outputs(targets):
        if TOOL in output:
            found += (tool_path(output, tool_module(name)) for name in names.tools)
        elif SHARED in output:
            found += (shared_path(output, shared_module_name(path)) for path in names.shared)
    return sorted(found)


def index_files(targets: Sequence[Target]) -> list[str]:
    """Return the files that belong to no spec, sorted, without the manifest."""
    return sorted(path for path in _outputs(targets) if TOOL not in path and SHARED not in path)


def disabled_modules(texts: Mapping[str, bytes], prefix: str, targets: Sequence[Target]) -> list[str]:
    """Return the names of the modules that would implement the tools that are not enabled."""
    parsed = parse(read(texts, prefix), targets)
    return sorted(tool_module(spec.name) for spec, _ in parsed.tools if not spec.enabled)


def _outputs(targets: Sequence[Target]) -> Iterator[str]:
    for target in targets:
        yield from outputs_of(target).values()
