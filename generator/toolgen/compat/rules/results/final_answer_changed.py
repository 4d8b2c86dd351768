"""final-answer-changed: the result now ends the agent's turn, or no longer does.

With `final_answer`, the result goes to the user as it is; the model does not see it again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit if `final_answer` changed."""
    if pair.old.spec.final_answer != pair.new.spec.final_answer:
        is_final = pair.new.spec.final_answer
        what = "now ends the agent's turn" if is_final else "no longer ends the agent's turn"
        yield ToolEdit(("final_answer",), f"the result {what}", is_final)


RULE: Final = ToolRule(
    code="final-answer-changed",
    fields=frozenset({"final_answer"}),
    check=check,
    advice="offer a tool of its own for the other way",
    category=Category.AGENT,
    level=Level.WARNING,
)
