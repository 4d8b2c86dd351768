"""All rules, and which of them claims an edit of a schema or a field of a tool."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.resources import files
from typing import Any, Final

from toolgen.changes.edit_space import Direction, Edit, edits_of
from toolgen.changes.finding import Category, Level
from toolgen.changes.rule import FieldEdit, Rule, SchemaRule, SettingRule, ToolRule
from toolgen.changes.rules import calls, confirmation, descriptions, project, results

_UNCLAIMED: Final = frozenset((Edit.FOLDED, Edit.UNFOLDED))
"""No rule claims them: references are followed, and a schema is the same as a reference to an equal one."""


def _rule_of(code: str, row: dict[str, Any]) -> Rule:
    """Return the rule of a row. Raises `TypeError` if it has a key that rules do not have."""
    row |= {
        "code": code,
        "why": row["why"].strip(),
        "category": Category(row.get("category", "wire")),
        "level": Level(row.get("level", "error")),
    }
    if "claims" in row:
        claims, levels = row.pop("claims"), row.pop("levels", {})
        return SchemaRule(
            claims=frozenset(
                (keyword, edit)
                for keywords, edits in claims.items()
                for keyword in keywords.split()
                for edit in _edits(keyword, edits)
            ),
            levels={each: Level(levels.get(each.value, "info")) for each in Direction},
            **row,
        )
    if row.pop("compares", "") == "settings":
        return SettingRule(check=_check_of(code, row), **row)
    if "fields" in row:
        fields, direction = frozenset(row.pop("fields").split()), row.pop("direction", None)
        check = _check_of(code, row)
        return ToolRule(fields=fields, check=check, direction=direction and Direction(direction), **row)
    return Rule(**row)


def _edits(keyword: str, edits: str) -> Iterator[Edit]:
    if edits == "*":
        return (edit for edit in edits_of(keyword) if edit not in _UNCLAIMED)
    return map(Edit, edits.split())


def _check_of(code: str, row: dict[str, Any]) -> Callable[..., Iterator[FieldEdit]]:
    """Return the function that a row names, with its further arguments, or that has the name of the rule."""
    ((name, arguments),) = row.pop("check", {code.replace("-", "_"): {}}).items()
    return partial(_CHECKS[name], **arguments)


# By name, and so without a list of their own: a function that no row names fails a test.
_CHECKS: Final = {
    name: check
    for module in (calls, confirmation, descriptions, project, results)
    for name, check in vars(module).items()
}


def _rules_in(file: str) -> dict[str, Rule]:
    text = files("toolgen.changes.rules").joinpath(file).read_text("utf-8")
    return {code: _rule_of(code, row) for code, row in tomllib.loads(text).items()}


RULES: Final[Mapping[str, Rule]] = _rules_in("rules.toml")
"""Code → rule."""

SERVER_RULES: Final[Mapping[str, Rule]] = _rules_in("server.toml")
"""The same for rules about what specs do not have, which judge servers of strangers."""

CODES: Final = tuple(RULES)
"""The codes of all rules."""

SETTING_RULES: Final = tuple(rule for rule in RULES.values() if isinstance(rule, SettingRule))
TOOL_RULES: Final = tuple(rule for rule in RULES.values() if isinstance(rule, ToolRule))
SCHEMA_RULES: Final = {
    claim: rule for rule in RULES.values() if isinstance(rule, SchemaRule) for claim in rule.claims
}
"""Keyword and edit → the rule that claims them."""


def levels_of(code: str) -> list[dict[str, str]]:
    """Return direction, category and level of a rule, of requests and of responses if the comparison decides.

    The direction is "request", "response" or "tool". The level is that of a break, then that of a change that
    breaks nobody, if the comparison decides.
    """
    rule = RULES[code]
    if isinstance(rule, SchemaRule):
        breaks = f"{rule.level.value}, or " if rule.can_break else ""
        levels = {each.value: f"{breaks}{level.value}" for each, level in rule.levels.items()}
    else:
        direction = rule.direction.value if isinstance(rule, ToolRule) and rule.direction else "tool"
        levels = {direction: rule.level.value}
    category = rule.category.value
    return [{"direction": each, "category": category, "level": level} for each, level in levels.items()]


def page(code: str) -> str:
    """Return the page of a rule."""
    rule = RULES[code]
    return f"{code}: {rule.what}.\n\n{rule.why}"
