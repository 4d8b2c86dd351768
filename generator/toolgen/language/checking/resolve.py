"""Bind the references in specs, which stay inside the specs folder.

A relative `$ref` is relative to its file, as JSON Schema says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.identifiers import shared_module_name
from toolgen.language.program import Parsed, Program, ProgramTool, SharedFile
from toolgen.language.reading.parse import parse
from toolgen.language.reading.read import read
from toolgen.language.references.bundle import Bound, Bundler, diagnostic_of
from toolgen.language.source import Source
from toolgen.language.spec import Spec
from toolgen.language.targets.definition import Target
from toolgen.runtime.definition.semantics.json_schema import too_complex
from toolgen.runtime.definition.semantics.references import find_loops
from toolgen.runtime.definition.spec_schema import schemas_of
from toolgen.schema.budget import find_entangled
from toolgen.schema.graph import Graph, all_uses


@dataclass(frozen=True, slots=True)
class BoundTool:
    """A tool with its bound schemas, by the names of their fields."""

    tool: ProgramTool
    schemas: Mapping[str, Bound]
    graphs: Mapping[str, Graph]  # of the schemas without faults
    faults: tuple[Diagnostic, ...]  # of references


@dataclass(frozen=True, slots=True)
class BoundSpecs:
    """The tools and the shared files of the specs."""

    tools: tuple[BoundTool, ...]
    shared: Mapping[str, SharedFile]  # by path below the specs folder
    faults: tuple[Diagnostic, ...]  # of references in shared files


def read_tools(texts: Mapping[str, bytes | str], targets: Sequence[Target], prefix: str) -> Program:
    """Return the tools of specs whose schemas, examples and names are not checked. Raises `SpecErrors`.

    For commands that only list tools, or whose tools have been generated from these specs.
    """
    bound = resolve(parse(read(texts, prefix), targets))
    if faults := [*bound.faults, *(fault for each in bound.tools for fault in each.faults)]:
        raise SpecErrors(faults)
    enabled = (each.tool for each in bound.tools if each.tool.spec.enabled)
    return Program(tuple(sorted(enabled, key=lambda tool: tool.spec.name)), shared=bound.shared)


def resolve(parsed: Parsed) -> BoundSpecs:
    """Bind the references of every tool and shared file. Their faults are refused later, with all others."""
    faults: list[Diagnostic] = []
    shared = _shared_files(parsed.shared, faults)
    tools = tuple(_tool(spec, source, parsed.shared, shared) for spec, source in parsed.tools)
    return BoundSpecs(tools, shared, tuple(faults))


def _shared_files(sources: Mapping[str, Source], faults: list[Diagnostic]) -> dict[str, SharedFile]:
    """Return the shared files by path, with the definitions of those that they form a circle with."""
    bundles: dict[tuple[str, ...], Bound] = {}
    direct: dict[str, set[str]] = {}
    for path in sources:
        bundler = Bundler(sources)
        bound = bundles[path,] = bundler.bind_files([path])
        direct[path] = bundler.uses() - {path}
        faults += bundler.faults or _endless_references(bound, Graph(bound.document))
    uses = all_uses(direct)
    found: dict[str, SharedFile] = {}
    for path, source in sources.items():
        # the files that lead to this one and that it leads to
        circle = tuple(sorted({path, *(other for other in uses[path] if path in uses[other])}))
        if circle not in bundles:
            bundles[circle] = Bundler(sources).bind_files(circle)
        found[path] = SharedFile(
            source=source,
            py_name=shared_module_name(path),
            document=bundles[circle].document,
            origins=bundles[circle].origins,
            uses=tuple(sorted(uses[path] - {path})),
            circle=circle,
        )
    return found


def _tool(
    spec: Spec, source: Source, sources: Mapping[str, Source], shared: Mapping[str, SharedFile]
) -> BoundTool:
    faults: list[Diagnostic] = []
    uses: set[str] = set()
    bounds: dict[str, Bound] = {}
    graphs: dict[str, Graph] = {}
    for path, schema in schemas_of(source.data):
        bundler = Bundler(sources)
        name = str(path[-1])
        bound = bounds[name] = bundler.bind(schema, source, path)
        uses |= bundler.uses()
        faults.extend(bundler.faults)
        if not bundler.faults:
            graphs[name] = Graph(bound.document)
            faults.extend(_endless_references(bound, graphs[name]))
    tool = ProgramTool(
        spec,
        source,
        {name: bound.document for name, bound in bounds.items()},
        tuple(sorted({*uses, *(further for path in uses for further in shared[path].uses)})),
        {name: bound.origins for name, bound in bounds.items() if bound.copied},
    )
    return BoundTool(tool, bounds, graphs, tuple(faults))


def _endless_references(bound: Bound, graph: Graph) -> list[Diagnostic]:
    """Return the references that lead back to themselves without a value between, or in too many ways."""
    faults = [too_complex((), excess) for excess in find_entangled(graph)]
    if not faults and any("$ref" in node.schema for node in graph.nodes):
        faults = list(find_loops(bound.document))
    return [diagnostic_of(fault, bound) for fault in faults]
