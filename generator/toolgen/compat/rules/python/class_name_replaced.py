"""class-name-replaced: a class has another name, which follows from a rename or has a transition.

Its tool was renamed, or generated code still gives the class by its former name, with a warning.
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
        if change.kind is NameChangeKind.CLASS and pair.replaces(change):
            path = (*SCHEMA_PATHS[change.schema], *change.path)
            yield ToolEdit(path, change.message, [change.before, change.now], change.cause)


RULE: Final = ToolRule(
    code="class-name-replaced",
    fields=frozenset(),
    check=check,
    advice="import it by its new name",
    category=Category.SOURCE,
    level=Level.WARNING,
)
