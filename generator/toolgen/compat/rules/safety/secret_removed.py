"""secret-removed: the implementation needs one secret less.

A secret proves to another system who calls. Without it, calls may reach that system with other rights, or
without any check.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.compat.finding import Category, Level
from toolgen.compat.rule import ToolEdit, ToolPair, ToolRule
from toolgen.suggestions import quoted


def check(pair: ToolPair) -> Iterator[ToolEdit]:
    """Yield an edit for each secret that is not needed any more."""
    after = pair.new.spec.auth.secrets if pair.new.spec.auth else []
    for secret in pair.old.spec.auth.secrets if pair.old.spec.auth else []:
        if secret not in after:
            yield ToolEdit(("auth", "secrets"), f"secret {quoted(secret)} is not needed any more", secret)


RULE: Final = ToolRule(
    code="secret-removed",
    fields=frozenset({"auth"}),
    check=check,
    advice="keep the secret, or see that the other system still checks who calls",
    category=Category.SAFETY,
    level=Level.ERROR,
)
