"""error-removed: an error is no longer declared.

Its exception is gone from the generated module: implementations and callers that import it fail. Callers
over the wire just never see the code again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each code that is gone."""
    kept = {error.code for error in pair.new.spec.errors}
    for error in pair.old.spec.errors:
        if error.code not in kept:
            yield ToolEdit(("errors",), f"error {quoted(error.code)} removed", error.code)


RULE: Final = ToolRule(
    code="error-removed",
    fields=frozenset({"errors"}),
    check=check,
    advice="keep the declaration until no code uses it",
    category=Category.SOURCE,
    level=Level.ERROR,
)
