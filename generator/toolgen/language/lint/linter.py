"""Run the lint rules over a tool and its bound schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedSchema
from toolgen.language.lint.rules import (
    annotations_missing,
    array_without_items,
    contradicting_annotations,
    contradicting_bounds,
    contradicting_examples,
    default_violates_schema,
    destructive_unconfirmed,
    enum_outside_type,
    error_without_example,
    foreign_pattern,
    ignored_sibling,
    keyword_outside_type,
    long_client_name,
    lost_reference,
    misplaced_annotation,
    output_not_object,
    parameter_undescribed,
    promotional_text,
    secret_in_example,
    similar_tools,
    title_missing,
    unbounded_result,
    unclear_purpose,
    undecided_reference,
    unenforced_format,
    unenforced_keyword,
    unfindable_ask,
    unsatisfiable_required,
    unsatisfiable_schema,
    unshown_property,
    unused_definition,
)
from toolgen.language.program import ProgramTool
from toolgen.language.references.bundle import Bound
from toolgen.schema.document import JsonPath, subschemas
from toolgen.schema.keywords import KEYWORDS

CatalogueRule = Callable[[Sequence[ProgramTool]], Iterator[Diagnostic]]
ToolRule = Callable[[ProgramTool], Iterator[Diagnostic]]
SchemaRule = Callable[[LintedSchema, JsonPath, Mapping[str, Any]], Iterator[Diagnostic]]

TOOL_RULES: tuple[ToolRule, ...] = (
    contradicting_annotations.check,
    contradicting_examples.check,
    destructive_unconfirmed.check,
    misplaced_annotation.check,
    unshown_property.check,
)
SCHEMA_RULES: Mapping[str, SchemaRule] = {  # keyword → the rule for subschemas that have it
    "$dynamicRef": undecided_reference.check,
    "$ref": ignored_sibling.check,
    "allOf": unsatisfiable_required.check_all_of,
    "default": default_violates_schema.check,
    "enum": enum_outside_type.check,
    "format": unenforced_format.check,
    "required": unsatisfiable_required.check,
}


_ENFORCED = KEYWORDS - unenforced_keyword.DRAFT_7.keys()
_ANNOTATED_TYPE = frozenset(("type", "description", "title", "default"))

# The rules below run in `toolgen lint` only: every `generate` would pay for them.

CATALOGUE_RULES: tuple[CatalogueRule, ...] = (similar_tools.check, unfindable_ask.check)
LINT_TOOL_RULES: tuple[ToolRule, ...] = (
    annotations_missing.check,
    error_without_example.check,
    promotional_text.check,
    secret_in_example.check,
    title_missing.check,
    unbounded_result.check,
    unclear_purpose.check,
)
BOUND_RULES: tuple[Callable[[Bound], Iterator[Diagnostic]], ...] = (
    lost_reference.check,
    parameter_undescribed.check,
    unused_definition.check,
)
LINT_SCHEMA_RULES: tuple[SchemaRule, ...] = (
    contradicting_bounds.check,
    keyword_outside_type.check,
)


def lint_tool(tool: ProgramTool, bounds: Iterable[Bound], *, all_rules: bool = False) -> Iterator[Diagnostic]:
    """Yield the warnings about one tool and its bound schemas; with `all_rules`, what `toolgen lint` adds."""
    for check in (*TOOL_RULES, *(LINT_TOOL_RULES if all_rules else ())):
        yield from check(tool)
    for bound in bounds:
        yield from output_not_object.check(bound)
        schema = LintedSchema(bound)
        for path, node in subschemas(bound.schema):
            if not _ENFORCED.issuperset(node) or unenforced_keyword.CLOSING in node.get("properties", ()):
                yield from unenforced_keyword.check(schema, path, node)
            if not SCHEMA_RULES.keys().isdisjoint(node):
                for keyword, rule in SCHEMA_RULES.items():
                    if keyword in node:
                        yield from rule(schema, path, node)
            if all_rules:
                yield from _lint_node(schema, path, node)
        if all_rules:
            yield from (found for rule in BOUND_RULES for found in rule(bound))


def _lint_node(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    if "type" in node:
        yield from array_without_items.check(schema, path, node)
    # most schemas have a type and a description
    if _ANNOTATED_TYPE.issuperset(node):
        return
    found = [finding for rule in LINT_SCHEMA_RULES for finding in rule(schema, path, node)]
    if "pattern" in node:
        found += foreign_pattern.check(schema, path, node)
    if "const" in node and "enum" not in node:
        found += enum_outside_type.check(schema, path, node)
    yield from found
    # these say more precisely why no value is valid
    if not found and not any(True for _ in _contradictions(schema, path, node)):
        yield from unsatisfiable_schema.check(schema, path, node)


def _contradictions(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    if "enum" in node:
        yield from enum_outside_type.check(schema, path, node)
    if "required" in node:
        yield from unsatisfiable_required.check(schema, path, node)
    if "allOf" in node:
        yield from unsatisfiable_required.check_all_of(schema, path, node)


def lint_catalogue(tools: Sequence[ProgramTool]) -> Iterator[Diagnostic]:
    """Yield the findings that only all tools of a project together cause."""
    for check in CATALOGUE_RULES:
        yield from check(tools)


def lint_names(tools: Iterable[ProgramTool], server: str | None) -> Iterator[Diagnostic]:
    """Yield the findings about names that depend on the name of the project's MCP server."""
    for tool in tools:
        yield from long_client_name.check(tool, server)
