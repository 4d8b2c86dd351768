"""Run the lint rules over a tool and its bound schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from inspect import cleandoc
from typing import Final

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedNode, LintedSchema
from toolgen.language.lint.rules import confirmation, contradictions, keywords, references, texts, tools
from toolgen.language.program import ProgramTool
from toolgen.language.references.bundle import Bound
from toolgen.schema.document import subschemas
from toolgen.schema.keywords import KEYWORDS

SchemaRule = Callable[[LintedNode], Iterator[Diagnostic]]

TOOL_RULES: Final = (
    tools.contradicting_annotations,
    tools.contradicting_examples,
    confirmation.destructive_unconfirmed,
    tools.misplaced_annotation,
    confirmation.unshown_property,
)
SCHEMA_RULES: Final[Mapping[str, SchemaRule]] = {  # keyword → the rule for subschemas that have it
    "$dynamicRef": references.undecided_reference,
    "$ref": references.ignored_sibling,
    "allOf": contradictions.unsatisfiable_all_of,
    "default": contradictions.default_violates_schema,
    "enum": contradictions.enum_outside_type,
    "format": keywords.unenforced_format,
    "required": contradictions.unsatisfiable_required,
}

# The rules below run in `toolgen lint` only: every `generate` would pay for them.

LINT_TOOL_RULES: Final = (
    tools.annotations_missing,
    texts.promotional_text,
    tools.secret_in_example,
    tools.title_missing,
    tools.unbounded_result,
    texts.unclear_purpose,
)
BOUND_RULES: Final = (references.lost_reference, texts.parameter_undescribed, references.unused_definition)
LINT_SCHEMA_RULES: Final[Sequence[SchemaRule]] = (
    keywords.array_without_items,
    contradictions.contradicting_bounds,
    keywords.keyword_outside_type,
    keywords.foreign_pattern,
)
_ENFORCED: Final = KEYWORDS - keywords.DRAFT_7.keys()
_MORE_PRECISE: Final = frozenset(
    ("contradicting-bounds", "enum-outside-type", "foreign-pattern", "keyword-outside-type")
) | {"unsatisfiable-required"}
"""Codes of findings that say why no value is valid."""


def lint_tool(tool: ProgramTool, bounds: Iterable[Bound], *, all_rules: bool = False) -> Iterator[Diagnostic]:
    """Yield the warnings about one tool and its bound schemas; with `all_rules`, what `toolgen lint` adds."""
    for check in (*TOOL_RULES, *(LINT_TOOL_RULES if all_rules else ())):
        yield from check(tool)
    for bound in bounds:
        yield from keywords.output_not_object(bound)
        schema = LintedSchema(bound)
        for path, node in subschemas(bound.schema):
            yield from _lint_node(LintedNode(schema, path, node), all_rules=all_rules)
        if all_rules:
            yield from (found for rule in BOUND_RULES for found in rule(bound))


def _lint_node(part: LintedNode, *, all_rules: bool) -> Iterator[Diagnostic]:
    node = part.keywords
    if not _ENFORCED.issuperset(node) or keywords.CLOSING in node.get("properties", ()):
        yield from keywords.unenforced_keyword(part)
    rules = [rule for keyword, rule in SCHEMA_RULES.items() if keyword in node]
    if all_rules:
        rules += LINT_SCHEMA_RULES
        if "const" in node and "enum" not in node:
            rules.append(contradictions.enum_outside_type)
    found = [finding for rule in rules for finding in rule(part)]
    yield from found
    if all_rules and not any(finding.code in _MORE_PRECISE for finding in found):
        yield from contradictions.unsatisfiable_schema(part)


def lint_catalogue(tools: Sequence[ProgramTool]) -> Iterator[Diagnostic]:
    """Yield the findings that only all tools of a project together cause."""
    yield from texts.similar_tools(tools)
    yield from texts.unfindable_ask(tools)


def page(code: str) -> str:
    """Return the page of a rule: what it finds, an example, and what to write instead."""
    name = code.replace("-", "_")
    modules = (confirmation, contradictions, keywords, references, texts, tools)
    return cleandoc(next(vars(each)[name].__doc__ for each in modules if name in vars(each)))
