"""`docs/breaking-rules.md`: a line for every rule of `breaking`."""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.changes.finding import Category
from toolgen.changes.table import CODES, RULES, levels_of

HEAD = """\
# Rules of breaking changes

What [`toolgen breaking`](breaking.md) finds. `toolgen explain CODE` says why it matters and what to do about it; `tests/cases/breaking/CODE` is an example.
Rules of schemas compare requests and responses: "error, or info" is an error unless the change is proved to break nothing.
"""
CONCERNED = {
    Category.WIRE: "Callers, whatever they are written in (`wire`)",
    Category.SOURCE: "Code that imports the generated package (`source`)",
    Category.IMPL: "Implementations (`impl`)",
    Category.AGENT: "What models read (`agent`)",
    Category.SAFETY: "Safety (`safety`)",
}


def rules_page() -> str:
    """Return the text of the document."""
    return "\n".join([HEAD, *(line for category in Category for line in _table(category))])


def _table(category: Category) -> Iterator[str]:
    yield from (f"## {CONCERNED[category]}", "", "| rule | found when | level |", "|---|---|---|")
    for code in CODES:
        if RULES[code].category is category:
            yield f"| `{code}` | {RULES[code].what} | {_levels(code)} |"
    yield ""


def _levels(code: str) -> str:
    """Return the level of a rule, by direction where requests and responses differ."""
    levels = {row["direction"]: row["level"] for row in levels_of(code)}
    if len(set(levels.values())) == 1:
        return next(iter(levels.values()))
    return "; ".join(f"{level} in a {direction}" for direction, level in levels.items())
