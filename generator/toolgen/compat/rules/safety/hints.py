"""Rules about the hints of MCP (`ToolAnnotations`), by which clients decide whether to ask the user."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.guards import DEFAULTS, hint, is_meant
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


@dataclass(frozen=True, slots=True)
class _Row:
    """A hint that got another value, be it by its default."""

    name: str
    value: bool  # the new one
    category: Category
    level: Level
    advice: str
    page: str

    def check(self, pair: ToolPair) -> Iterator[ToolEdit]:
        """Yield an edit if the hint has the value now, where clients read it."""
        old, new = hint(pair.old.spec, self.name), hint(pair.new.spec, self.name)
        decides = pair.new.spec if self.is_riskier else pair.old.spec
        if old != new and new is self.value and is_meant(decides, self.name):
            yield ToolEdit(("annotations", self.name), f"{self.name} is {str(new).lower()} now")

    @property
    def is_riskier(self) -> bool:
        """True if the hint says now that the tool does more."""
        return self.value is DEFAULTS[self.name]


_ROWS: Final[Mapping[str, _Row]] = {
    "destructive-gained": _Row(
        "destructiveHint",
        True,
        Category.WIRE,
        Level.ERROR,
        "offer the destructive part as a tool of its own",
        """destructive-gained: a tool that destroyed nothing may destroy something.

Clients ask the user before destructive tools, and users have approved this tool as another one.
`destructiveHint` is true where it is left out.
""",
    ),
    "destructive-lost": _Row(
        "destructiveHint",
        False,
        Category.SAFETY,
        Level.ERROR,
        "leave the hint as it was, unless the tool really destroys and overwrites nothing any more",
        """destructive-lost: a tool that could destroy something says that it does not.

Clients ask the user before destructive tools, and will call this one without a question. `destructiveHint` is
true where it is left out.
""",
    ),
    "idempotent-gained": _Row(
        "idempotentHint",
        True,
        Category.SAFETY,
        Level.WARNING,
        "check that a second call with the same arguments changes nothing",
        """idempotent-gained: a tool says that it may be called twice.

Clients repeat calls of idempotent tools after a lost connection, and did not repeat calls of this one.
""",
    ),
    "idempotent-lost": _Row(
        "idempotentHint",
        False,
        Category.WIRE,
        Level.WARNING,
        "keep calls with the same arguments idempotent",
        """idempotent-lost: a tool that could be called twice may not be.

Clients repeat calls of idempotent tools after a lost connection. A repeated call may now act twice.
""",
    ),
    "open-world-gained": _Row(
        "openWorldHint",
        True,
        Category.WIRE,
        Level.WARNING,
        "offer the part that reaches other systems as a tool of its own",
        """open-world-gained: a tool that stayed inside the application may reach other systems.

Users who approved the tool did not expect it to send anything elsewhere. `openWorldHint` is true where it
is left out.
""",
    ),
    "open-world-lost": _Row(
        "openWorldHint",
        False,
        Category.SAFETY,
        Level.WARNING,
        "check that the tool reaches no other system",
        """open-world-lost: a tool that could reach other systems says that it does not.

Clients that warn of data from outside, or sent there, do not warn of this tool any more. `openWorldHint` is
true where it is left out.
""",
    ),
    "read-only-gained": _Row(
        "readOnlyHint",
        True,
        Category.SAFETY,
        Level.ERROR,
        "leave the hint as it was, unless the tool really changes nothing any more",
        """read-only-gained: a tool that could change something says that it does not.

Clients run read-only tools without asking the user, `toolgen test` makes generated calls of them, and both
did not do so before.
""",
    ),
    "read-only-lost": _Row(
        "readOnlyHint",
        False,
        Category.WIRE,
        Level.ERROR,
        "offer the change as a tool of its own",
        """read-only-lost: a tool that changed nothing may change something.

Clients run read-only tools without asking the user, and users have approved this tool as one.
""",
    ),
}


def _rule(code: str, row: _Row) -> ToolRule:
    check: Callable[[ToolPair], Iterator[ToolEdit]] = row.check
    return ToolRule(
        code=code,
        fields=frozenset({"annotations"}),
        check=check,
        advice=row.advice,
        category=row.category,
        level=row.level,
    )


RULES: Final = {code: _rule(code, row) for code, row in _ROWS.items()}
PAGES: Final = {code: row.page for code, row in _ROWS.items()}
