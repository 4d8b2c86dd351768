"""Rules about the names and types of generated classes and their fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.contract import SCHEMA_PATHS
from toolgen.compat.finding import Category, Level
from toolgen.compat.python_names import NameChangeKind
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def _rule(
    code: str, kind: NameChangeKind, level: Level, *, replaced: bool = False, advice: str, page: str
) -> ToolRule:
    """Return the rule about changes of one kind; `replaced`: those whose former name is replaced."""

    def check(pair: ToolPair) -> Iterator[ToolEdit]:
        for change in pair.name_changes:
            is_replaced = kind is NameChangeKind.CLASS and pair.replaces(change)
            if change.kind is kind and is_replaced is replaced:
                path = (*SCHEMA_PATHS[change.schema], *change.path)
                yield ToolEdit(path, change.message, [change.before, change.now], change.cause)

    return ToolRule(
        code=code,
        fields=frozenset(),
        check=check,
        advice=advice,
        category=Category.SOURCE,
        level=level,
        page=page,
    )


RULES: Final = (
    _rule(
        "class-name-replaced",
        NameChangeKind.CLASS,
        Level.WARNING,
        replaced=True,
        advice="import it by its new name",
        page="""\
class-name-replaced: a class has another name, which follows from a rename or has a transition.

Its tool was renamed, or generated code still gives the class by its former name, with a warning.
""",
    ),
    _rule(
        "class-renamed",
        NameChangeKind.CLASS,
        Level.ERROR,
        advice="keep the name, with a `title` in the schema or in `$defs` of the shared file",
        page="""\
class-renamed: a class or a named type of the generated models has another name, or is gone.

Code that imports it fails. Names come from titles, `$defs`, tags and properties: docs/spec.md, "Names of
classes".
""",
    ),
    _rule(
        "field-renamed",
        NameChangeKind.FIELD,
        Level.ERROR,
        advice="choose property names that do not become the same name in Python",
        page="""\
field-renamed: a field of a generated class has another Python name.

The JSON is the same, but code that reads or sets the attribute fails.
""",
    ),
    _rule(
        "field-type-changed",
        NameChangeKind.TYPE,
        Level.WARNING,
        advice="",
        page="""\
field-type-changed: a field of a generated class has another type.

Type checkers refuse code that was right before. Whether values change is for the rules about schemas.
""",
    ),
)
