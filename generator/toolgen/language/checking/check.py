"""Check specs whose references are bound: what refuses them first, then what is only worth a warning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import jsonschema_rs

from toolgen.language.checking.asked_examples import (
    asked_examples,
    find_contradicting_asks,
    find_unknown_tools,
)
from toolgen.language.checking.conflicts import find_conflicts, tool_names
from toolgen.language.checking.resolve import BoundSpecs, BoundTool
from toolgen.language.diagnostic import Diagnostic, Progress, SpecErrors, in_order, no_progress
from toolgen.language.lint.linter import lint_catalogue, lint_tool
from toolgen.language.program import Program
from toolgen.language.references.bundle import diagnostic_of
from toolgen.language.source import Span
from toolgen.runtime.definition.check import not_compiled, semantic_faults
from toolgen.runtime.validation.compiled_schema import CompiledSchema, compile_graph
from toolgen.schema.budget import check_size
from toolgen.schema.validator import build_validator, refuse_reference


def check(
    specs: BoundSpecs,
    *,
    needs_tools: bool = True,
    is_whole: bool = False,
    progress: Progress = no_progress,
) -> None:
    """Raise `SpecErrors` with the faults of all files, if there are any.

    Shared schemas alone are one, unless not `needs_tools`. If `is_whole`, these are all specs of a project:
    names of other tools in examples are checked, too.
    """
    faults = [*specs.faults]
    for number, each in enumerate(specs.tools, 1):
        faults += _tool_faults(each)
        progress("checking tools", number, len(specs.tools))
    if needs_tools and not specs.tools:
        where = min((shared.source.file for shared in specs.shared.values()), default=".")
        message = "there are shared schemas here, and no tool"
        faults.append(Diagnostic(Span(where, 1, 1), "no-specs", message, "write one with `toolgen new`"))
    tools = [each.tool for each in specs.tools]
    faults.extend(find_conflicts(claim for tool in tools if tool.spec.enabled for claim in tool_names(tool)))
    if is_whole:
        asked = (example for tool in tools for example in asked_examples(tool))
        faults.extend(find_unknown_tools(asked, [(tool.spec.name, tool.spec.aliases) for tool in tools]))
    if faults:
        raise SpecErrors(faults)


def lint(specs: BoundSpecs, *, is_whole: bool = False, all_rules: bool = False) -> Program:
    """Return valid specs with the warnings about them: of all tools together, too, if `is_whole`.

    With `all_rules`, those run, too, that only `toolgen lint` reports, and suppressed warnings stay.
    Tools with `enabled: false` are not part of the output.
    """
    tools = [
        replace(
            each.tool, warnings=in_order(lint_tool(each.tool, each.schemas.values(), all_rules=all_rules))
        )
        for each in sorted(specs.tools, key=lambda each: each.tool.spec.name)
    ]
    enabled = tuple(tool for tool in tools if tool.spec.enabled)
    disabled = tuple(tool for tool in tools if not tool.spec.enabled)
    warnings = in_order(warning for tool in tools for warning in tool.warnings)
    if is_whole:
        asked = (example for tool in enabled for example in asked_examples(tool))
        warnings += (*find_contradicting_asks(asked), *(lint_catalogue(enabled) if all_rules else ()))
    return Program(enabled, warnings, disabled, specs.shared)


def _tool_faults(bound: BoundTool) -> Iterator[Diagnostic]:
    """Yield the faults of references; without one, those of schemas; without one, those of the rest."""
    if bound.faults:
        yield from bound.faults
        return
    compiled = {name: _compiled(bound, name) for name in bound.schemas}
    refused = [each for each in compiled.values() if isinstance(each, Diagnostic)]
    yield from refused
    if not refused:
        tool, data = bound.tool, cast("dict[str, Any]", bound.tool.source.data)
        validators = {name: each for name, each in compiled.items() if isinstance(each, CompiledSchema)}
        for fault in semantic_faults(data, tool.documents, validators):
            yield diagnostic_of(fault, tool.source)


def _compiled(bound: BoundTool, name: str) -> CompiledSchema | Diagnostic | None:
    """Compile a schema whose references were checked; return why the validator refuses it, if it does.

    None if the validator takes it, and there is no example to check.
    """
    schema = bound.schemas[name]
    try:
        if schema.copied:  # without copied definitions, it is as large as it was when it was parsed
            check_size(schema.schema)
        if bound.tool.spec.examples:
            return compile_graph(bound.graphs[name])
        build_validator(schema.schema, formats=True, retrieve=refuse_reference)
        return None
    except (ValueError, jsonschema_rs.ReferencingError) as error:
        return diagnostic_of(not_compiled((), error), schema)
