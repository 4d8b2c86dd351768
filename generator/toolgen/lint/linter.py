"""Run the lint rules over a tool and its bound schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from toolgen.data.diagnostic import Diagnostic
from toolgen.data.program import ProgramTool
from toolgen.lint.bound_schema import LintedSchema
from toolgen.lint.rules import (
    ambiguous_stream,
    contradicting_annotations,
    contradicting_examples,
    default_violates_schema,
    destructive_unconfirmed,
    enum_outside_type,
    ignored_sibling,
    misspelt_annotation,
    output_not_object,
    undecided_reference,
    unenforced_format,
    unenforced_keyword,
    unfindable_ask,
    unsatisfiable_required,
    unshown_property,
)
from toolgen.references.bundle import Bound
from toolgen.schema.document import JsonPath, subschemas
from toolgen.schema.keywords import KEYWORDS

CatalogueRule = Callable[[Sequence[ProgramTool]], Iterator[Diagnostic]]
ToolRule = Callable[[ProgramTool], Iterator[Diagnostic]]
SchemaRule = Callable[[LintedSchema, JsonPath, Mapping[str, Any]], Iterator[Diagnostic]]

CATALOGUE_RULES: tuple[CatalogueRule, ...] = (unfindable_ask.check,)
TOOL_RULES: tuple[ToolRule, ...] = (
    ambiguous_stream.check,
    contradicting_annotations.check,
    contradicting_examples.check,
    destructive_unconfirmed.check,
    misspelt_annotation.check,
    unshown_property.check,
)
SCHEMA_RULES: Mapping[str, SchemaRule] = {  # keyword → the rule for subschemas that have it
    "$dynamicRef": undecided_reference.check,
    "$ref": ignored_sibling.check,
    "default": default_violates_schema.check,
    "enum": enum_outside_type.check,
    "format": unenforced_format.check,
    "required": unsatisfiable_required.check,
}


def lint_tool(tool: ProgramTool, bounds: Iterable[Bound]) -> Iterator[Diagnostic]:
    """Yield the warnings about one tool and its bound schemas."""
    for check in TOOL_RULES:
        yield from check(tool)
    for bound in bounds:
        yield from output_not_object.check(bound)
        schema = LintedSchema(bound)
        for path, node in subschemas(bound.schema):
            if not KEYWORDS.issuperset(node):
                yield from unenforced_keyword.check(schema, path, node)
            if SCHEMA_RULES.keys().isdisjoint(node):
                continue
            for keyword, rule in SCHEMA_RULES.items():
                if keyword in node:
                    yield from rule(schema, path, node)


def lint_catalogue(tools: Sequence[ProgramTool]) -> Iterator[Diagnostic]:
    """Yield the warnings that only all tools of a project together cause; `generate` shows none of them."""
    for check in CATALOGUE_RULES:
        yield from check(tools)
