"""All rules, and which of them claims an edit of a schema or a field of a tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from toolgen.compat.edit_space import Cell, Direction, Edit
from toolgen.compat.rule import Rule, SchemaRule, SettingRule, ToolRule
from toolgen.compat.rules.python import name_changes
from toolgen.compat.rules.safety import hints, listed_names

PACKAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "policy": (
        "acceptance-expired",
        "acceptance-unused",
        "version-decreased",
        "version-invalid",
        "version-not-bumped",
    ),
    "project": (
        "coercion-default-lost",
        "instructions-changed",
        "package-moved",
        "server-renamed",
        "target-added",
        "target-removed",
    ),
    "results": (
        "content-lost",
        "content-narrowed",
        "content-widened",
        "error-added",
        "error-removed",
        "error-retry-changed",
        "error-text-changed",
        "final-answer-changed",
        "page-changed",
        "stream-changed",
    ),
    "safety": (
        "confirm-added",
        "confirm-stricter",
        "confirm-text-changed",
        "confirm-weakened",
        "preview-required",
        "safety-improved",
    ),
    "schemas": (
        "access-changed",
        "all-of-changed",
        "array-narrowed",
        "array-widened",
        "condition-changed",
        "const-changed",
        "default-changed",
        "dependency-changed",
        "draft-changed",
        "encoding-changed",
        "enum-value-added",
        "enum-value-removed",
        "format-changed",
        "keyword-changed",
        "limit-loosened",
        "limit-tightened",
        "multiple-of-changed",
        "object-closed",
        "object-opened",
        "order-changed",
        "pattern-changed",
        "property-added",
        "property-deprecated",
        "property-names-changed",
        "property-optional",
        "property-removed",
        "property-required",
        "property-text-changed",
        "reference-changed",
        "request-widened",
        "response-narrowed",
        "response-schema-added",
        "response-schema-removed",
        "schema-changed",
        "schema-replaced",
        "type-narrowed",
        "type-widened",
        "unanalysed",
        "union-narrowed",
        "union-widened",
        "unique-items-changed",
    ),
    "tools": (
        "alias-added",
        "alias-removed",
        "call-limit-lowered",
        "call-limit-raised",
        "coercion-lost",
        "deprecation-changed",
        "description-changed",
        "details-changed",
        "group-changed",
        "inject-changed",
        "sunset-earlier",
        "title-changed",
        "tool-added",
        "tool-removed",
        "tool-removed-after-sunset",
        "tool-renamed",
    ),
}
"""Package of `rules/` → the codes of its rules with a module of their name each."""

TABLES: Final = (name_changes, hints, listed_names)
"""Modules of `rules/` that hold several rules of one shape."""

WAIVED_KEYWORDS: Final[Mapping[str, str]] = {
    "$anchor": "references are followed, so the name of an anchor is no edit",
    "$comment": "for the authors of the schema, not published to models, and without effect",
    "$defs": "definitions are compared where references lead to them",
    "$dynamicAnchor": "takes part in dynamic references, which are compared as a whole",
    "$id": "names a schema; references that depend on it are compared as a whole",
    "$recursiveAnchor": "belongs to draft 2019-09, and neither draft that specs are written in reads it",
    "$vocabulary": "belongs to meta-schemas",
    "definitions": "definitions are compared where references lead to them",
}
"""Keyword whose edits no rule claims → the reason."""

WAIVED_EDITS: Final[Mapping[Edit, str]] = {
    Edit.FOLDED: "references are followed, so a schema and a reference to an equal one are the same",
    Edit.UNFOLDED: "references are followed, so a reference and a copy of what it refers to are the same",
}
"""Edit that no rule claims, of any keyword → the reason."""

WAIVED_FIELDS: Final[Mapping[str, str]] = {
    "enabled": "a disabled tool is not part of the contract: `tool-removed`, `tool-added`",
    "input_schema": "its edits are claimed by the rules for schemas",
    "name": "`tool-renamed`, `tool-removed`, `tool-added`",
    "output_schema": "its edits are claimed by the rules for schemas; `response-schema-removed`, `-added`",
    "toolgen": "the version of the spec language, which callers do not see",
    "version": "`version-not-bumped`, `version-decreased`, `version-invalid`",
}
"""Field of a spec that no rule claims → the reason, or the rules for tools as a whole."""


_MODULES: Final = {
    code: import_module(f"toolgen.compat.rules.{package}.{code.replace('-', '_')}")
    for package, codes in PACKAGES.items()
    for code in codes
}
_FOUND: Final[Mapping[str, Rule]] = {
    **{code: module.RULE for code, module in _MODULES.items()},
    **{rule.code: rule for table in TABLES for rule in table.RULES},
}
RULES: Final[Mapping[str, Rule]] = dict(sorted(_FOUND.items()))
"""Code → rule."""

CODES: Final = tuple(RULES)
"""The codes of all rules."""

SETTING_RULES: Final = tuple(rule for rule in RULES.values() if isinstance(rule, SettingRule))
TOOL_RULES: Final = tuple(rule for rule in RULES.values() if isinstance(rule, ToolRule))
SCHEMA_RULES: Final = {
    claim: rule for rule in RULES.values() if isinstance(rule, SchemaRule) for claim in rule.claims
}
"""Keyword and edit → the rule that claims them."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table of rules."""

    direction: str  # "request", "response" or "tool"
    category: str
    level: str  # that of a break, then that of a change that breaks nobody, if the comparison decides


def levels_of(code: str) -> tuple[Row, ...]:
    """Return the rows of a rule."""
    rule = RULES[code]
    if not isinstance(rule, SchemaRule):
        direction = rule.direction.value if isinstance(rule, ToolRule) and rule.direction else "tool"
        return (Row(direction, rule.category.value, rule.level.value),)
    return tuple(
        Row(direction.value, rule.category.value, f"{breaks}{rule.levels[direction].value}")
        for direction in Direction
        for breaks in (f"{rule.breaks.value}, or " if rule.can_break else "",)
    )


def waiver(cell: Cell) -> str | None:
    """Return why no rule claims the cell of the edit space; None if one does or should."""
    return WAIVED_KEYWORDS.get(cell.keyword) or WAIVED_EDITS.get(cell.edit)


def page(code: str) -> str:
    """Return the page of a rule: its own text in a table, or its module's docstring."""
    rule = RULES[code]
    text = rule.page if isinstance(rule, ToolRule) else ""
    return text or _MODULES[code].__doc__ or ""
