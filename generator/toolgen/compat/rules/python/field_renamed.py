"""field-renamed: a field of a generated class has another Python name.

The JSON is the same, but code that reads or sets the attribute fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.contract import SCHEMA_PATHS
from toolgen.compat.finding import Category, Level
from toolgen.compat.python_names import NameChangeKind
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each."""
    for change in pair.name_changes:
        if change.kind is NameChangeKind.FIELD:
            path = (*SCHEMA_PATHS[change.schema], *change.path)
            yield ToolEdit(path, change.message, [change.before, change.now], change.cause)


RULE: Final = ToolRule(
    code="field-renamed",
    fields=frozenset(),
    check=check,
    advice="choose property names that do not become the same name in Python",
    category=Category.SOURCE,
    level=Level.ERROR,
)
