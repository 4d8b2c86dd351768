"""Rules about the hints of MCP (`ToolAnnotations`), by which clients decide whether to ask the user."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.guards import HINT_DEFAULTS, hint, is_hint_read
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def _rule(code: str, name: str, value: bool, level: Level, *, advice: str, page: str) -> ToolRule:
    """Return the rule that finds the hint `name` changed to `value`, written or by default."""
    is_riskier = value is HINT_DEFAULTS[name]  # MCP's defaults assume the worst

    def check(pair: ToolPair) -> Iterator[ToolEdit]:
        old, new = hint(pair.old.spec, name), hint(pair.new.spec, name)
        # A risk counts if clients read it now; a promise of safety, if they read its opposite before.
        deciding = pair.new.spec if is_riskier else pair.old.spec
        if old != new and new is value and is_hint_read(deciding, name):
            yield ToolEdit(("annotations", name), f"{name} changed to {str(new).lower()}")

    return ToolRule(
        code=code,
        fields=frozenset({"annotations"}),
        check=check,
        advice=advice,
        category=Category.WIRE if is_riskier else Category.SAFETY,
        level=level,
        page=page,
    )


RULES: Final = (
    _rule(
        "destructive-gained",
        "destructiveHint",
        True,
        Level.ERROR,
        advice="offer the destructive part as a separate tool",
        page="""\
destructive-gained: a tool that destroyed nothing may destroy something.

Clients ask the user before destructive tools, and users have approved this tool as another one.
`destructiveHint` is true where it is left out.
""",
    ),
    _rule(
        "destructive-lost",
        "destructiveHint",
        False,
        Level.ERROR,
        advice="leave the hint as it was, unless the tool really destroys and overwrites nothing",
        page="""\
destructive-lost: a tool that could destroy something says that it does not.

Clients ask the user before destructive tools, and will call this one without a question. `destructiveHint` is
true where it is left out.
""",
    ),
    _rule(
        "idempotent-gained",
        "idempotentHint",
        True,
        Level.WARNING,
        advice="check that a second call with the same arguments changes nothing",
        page="""\
idempotent-gained: a tool says that it may be called twice.

Clients repeat calls of idempotent tools after a lost connection, and did not repeat calls of this one.
""",
    ),
    _rule(
        "idempotent-lost",
        "idempotentHint",
        False,
        Level.WARNING,
        advice="keep calls with the same arguments idempotent",
        page="""\
idempotent-lost: a tool that could be called twice may not be.

Clients repeat calls of idempotent tools after a lost connection. A repeated call may now act twice.
""",
    ),
    _rule(
        "open-world-gained",
        "openWorldHint",
        True,
        Level.WARNING,
        advice="offer the part that reaches other systems as a separate tool",
        page="""\
open-world-gained: a tool that stayed inside the application may reach other systems.

Users who approved the tool did not expect it to send anything elsewhere. `openWorldHint` is true where it
is left out.
""",
    ),
    _rule(
        "open-world-lost",
        "openWorldHint",
        False,
        Level.WARNING,
        advice="check that the tool reaches no other system",
        page="""\
open-world-lost: a tool that could reach other systems says that it does not.

Clients that warn of data from outside, or sent there, no longer warn of this tool. `openWorldHint` is
true where it is left out.
""",
    ),
    _rule(
        "read-only-gained",
        "readOnlyHint",
        True,
        Level.ERROR,
        advice="leave the hint as it was, unless the tool really changes nothing",
        page="""\
read-only-gained: a tool that could change something says that it does not.

Clients run read-only tools without asking the user, `toolgen test` makes generated calls of them, and both
did not do so before.
""",
    ),
    _rule(
        "read-only-lost",
        "readOnlyHint",
        False,
        Level.ERROR,
        advice="offer the change as a separate tool",
        page="""\
read-only-lost: a tool that changed nothing may change something.

Clients run read-only tools without asking the user, and users have approved this tool as one.
""",
    ),
)
