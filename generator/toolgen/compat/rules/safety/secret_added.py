"""secret-added: the implementation needs a further secret.

Where the environment variable is not set, the tool does not work.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each secret that was not needed before."""
    before = pair.old.spec.auth.secrets if pair.old.spec.auth else []
    for secret in pair.new.spec.auth.secrets if pair.new.spec.auth else []:
        if secret not in before:
            yield ToolEdit(("auth", "secrets"), f"secret {quoted(secret)} is needed now", secret)


RULE: Final = ToolRule(
    code="secret-added",
    fields=frozenset({"auth"}),
    check=check,
    advice="set the variable wherever the tool runs before the change goes live",
    category=Category.IMPL,
    level=Level.WARNING,
)
