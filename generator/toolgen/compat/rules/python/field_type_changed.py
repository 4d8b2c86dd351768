"""field-type-changed: a field of a generated class has another type.

Type checkers refuse code that was right before. Whether values change is for the rules about schemas.
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
        if change.kind is NameChangeKind.TYPE:
            path = (*SCHEMA_PATHS[change.schema], *change.path)
            yield ToolEdit(path, change.message, [change.before, change.now], change.cause)


RULE: Final = ToolRule(
    code="field-type-changed",
    fields=frozenset(),
    check=check,
    advice="",
    category=Category.SOURCE,
    level=Level.WARNING,
)
