"""class-renamed: a class or a named type of the generated models has another name, or is gone.

Code that imports it fails. Names come from titles, `$defs`, tags and properties: docs/spec.md, "Names of
classes".
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
        if change.kind is NameChangeKind.CLASS and not pair.replaces(change):
            path = (*SCHEMA_PATHS[change.schema], *change.path)
            yield ToolEdit(path, change.message, [change.before, change.now], change.cause)


RULE: Final = ToolRule(
    code="class-renamed",
    fields=frozenset(),
    check=check,
    advice="keep the name, with a `title` in the schema or in `$defs` of the shared file",
    category=Category.SOURCE,
    level=Level.ERROR,
)
