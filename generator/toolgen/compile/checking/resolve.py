"""Specs to a program: every reference bound inside the specs folder, every tool checked and linted.

A relative `$ref` is relative to its file, as JSON Schema says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import jsonschema_rs

from toolgen.compile.checking.asked_examples import (
    asked_examples,
    find_contradicting_asks,
    find_unknown_tools,
)
from toolgen.compile.checking.conflicts import find_conflicts, tool_names
from toolgen.data.diagnostic import Diagnostic, SpecErrors, in_order
from toolgen.data.program import Parsed, Program, ProgramTool, SharedFile
from toolgen.data.source import Source, Span
from toolgen.data.spec import Spec, schemas_of
from toolgen.lint.linter import lint_tool
from toolgen.python_source.names import shared_module_name
from toolgen.references.bundle import Bound, Bundler
from toolgen.references.circles import all_uses, circle_of
from toolgen.runtime.validation.compiled_schema import CompiledSchema, compile_graph
from toolgen.schema.budget import check_size, find_entangled
from toolgen.schema.graph import Graph
from toolgen.semantics.examples import check_examples
from toolgen.semantics.json_schema import too_complex
from toolgen.semantics.pages import check_page
from toolgen.semantics.placeholders import check_placeholders
from toolgen.semantics.reference_loops import find_loops


def resolve(parsed: Parsed, *, needs_tools: bool = True, is_whole: bool = False) -> Program:
    """Bind and check every tool; tools with `enabled: false` are checked, but not part of the output.

    If `is_whole`, these are all specs of a project: names of other tools in examples are checked, too.
    Raises `SpecErrors` with the faults of all files; shared schemas alone are one, unless not `needs_tools`.
    """
    faults: list[Diagnostic] = []
    if needs_tools and not parsed.tools:
        where = min((source.file for source in parsed.shared.values()), default=".")
        message = "there are shared schemas here, and no tool"
        faults.append(Diagnostic(Span(where, 1, 1), "no-specs", message, "write one with `toolgen new`"))
    shared = _shared_files(parsed.shared, faults)
    tools = [_tool(spec, source, parsed.shared, shared, faults=faults) for spec, source in parsed.tools]
    faults.extend(find_conflicts(claim for tool in tools if tool.spec.enabled for claim in tool_names(tool)))
    if is_whole:
        asked = [example for tool in tools for example in asked_examples(tool)]
        faults.extend(find_unknown_tools(asked, [(tool.spec.name, tool.spec.aliases) for tool in tools]))
    if faults:
        raise SpecErrors(faults)
    tools.sort(key=lambda tool: tool.spec.name)
    warnings = in_order(warning for tool in tools for warning in tool.warnings)
    enabled = tuple(tool for tool in tools if tool.spec.enabled)
    disabled = tuple(tool for tool in tools if not tool.spec.enabled)
    if is_whole:
        warnings += find_contradicting_asks(example for tool in enabled for example in asked_examples(tool))
    return Program(enabled, warnings, disabled, shared)


def _shared_files(sources: Mapping[str, Source], faults: list[Diagnostic]) -> dict[str, SharedFile]:
    """Return the shared files by path; add the faults of their references to `faults`."""
    bundles: dict[tuple[str, ...], Bound] = {}
    direct: dict[str, set[str]] = {}
    for path in sources:
        bundler = Bundler(sources)
        bound = bundles[path,] = bundler.bind_files([path])
        faults.extend(bundler.faults or _endless_references(bound, Graph(bound.schema)))
        direct[path] = bundler.uses() - {path}
    uses = all_uses(direct)
    found: dict[str, SharedFile] = {}
    for path, source in sources.items():
        circle = circle_of(path, uses)
        if circle not in bundles:
            bundles[circle] = Bundler(sources).bind_files(circle)
        found[path] = SharedFile(
            source=source,
            py_name=shared_module_name(path),
            schema=bundles[circle].schema,
            origins=bundles[circle].origins,
            uses=tuple(sorted(uses[path] - {path})),
            circle=circle,
        )
    return found


def _tool(
    spec: Spec,
    source: Source,
    sources: Mapping[str, Source],
    shared: Mapping[str, SharedFile],
    *,
    faults: list[Diagnostic],
) -> ProgramTool:
    before = len(faults)
    uses: set[str] = set()
    bounds: dict[str, Bound] = {}
    graphs: dict[str, Graph] = {}
    for path, schema in schemas_of(source.data):
        bundler = Bundler(sources)
        bound = bundler.bind(schema, source, path)
        name = str(path[-1])
        if bundler.faults:
            faults.extend(bundler.faults)
        else:
            graphs[name] = Graph(bound.schema)
            faults.extend(_endless_references(bound, graphs[name]))
        uses |= bundler.uses()
        bounds[name] = bound
    schemas = {name: bound.schema for name, bound in bounds.items()}
    tool = ProgramTool(
        spec,
        source,
        schemas["input_schema"],
        schemas.get("output_schema"),
        schemas.get("chunk_schema"),
        tuple(sorted({*uses, *(further for path in uses for further in shared[path].uses)})),
        {name: bound.origins for name, bound in bounds.items() if bound.copied},
    )
    if len(faults) == before:
        validators = {name: _compiled(bound, graphs[name], faults) for name, bound in bounds.items()}
        if len(faults) == before:
            faults.extend(check_examples(tool, validators))
            faults.extend(check_placeholders(tool))
            faults.extend(check_page(tool))
            return replace(tool, warnings=in_order(lint_tool(tool, bounds.values())))
    return tool


def _endless_references(bound: Bound, graph: Graph) -> list[Diagnostic]:
    """Return the references that lead back to themselves without a value between, or in too many ways."""
    if entangled := [too_complex(bound.value, (), excess) for excess in find_entangled(graph)]:
        return entangled
    return list(find_loops(bound)) if any("$ref" in node.schema for node in graph.nodes) else []


def _compiled(bound: Bound, graph: Graph, faults: list[Diagnostic]) -> CompiledSchema | None:
    """Compile a schema whose references were checked; add what the validator refuses to `faults`."""
    try:
        check_size(bound.schema)
        return compile_graph(bound.schema, graph)
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        message = str(error).split("\n", 1)[0]
        faults.append(
            Diagnostic(
                bound.value(()),
                "invalid-schema",
                f"the validator does not take this schema: {message}",
                "a `$ref` below an `$id` is relative to it; check these first",
            )
        )
        return None
