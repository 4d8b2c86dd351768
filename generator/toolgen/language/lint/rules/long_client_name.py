"""long-client-name: a name that is too long with the prefix that a client gives it.

Example:

    name: list_orders_of_one_customer_that_were_delivered_last_month

Use instead:

    name: list_delivered_orders
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.program import ProgramTool

_MOST: Final = 64  # characters of the name of a function: OpenAI, and Anthropic's API until 2025
_SEPARATORS: Final = len("mcp__" + "__")
_SERVER: Final = 1  # characters that a server has at least, whose name the project does not say


def check(tool: ProgramTool, server: str | None = None) -> Iterator[Diagnostic]:
    """Warn about a name that `mcp__<server>__<name>` makes longer than providers take."""
    prefix = _SEPARATORS + (len(server) if server else _SERVER)
    length = prefix + len(tool.spec.name)
    if length > _MOST:
        shown = f"mcp__{server or 'x'}__"
        yield Diagnostic(
            tool.source.value(("name",)),
            "long-client-name",
            f"with the prefix `{shown}` of clients the name has {length} characters; {_MOST} are safe",
            f"shorten it to {_MOST - prefix} characters",
        )
