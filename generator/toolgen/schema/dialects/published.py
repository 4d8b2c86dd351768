"""The schemas that a tool publishes in a dialect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.schema.dialect_loss import Loss
from toolgen.schema.document import Schema

Restorer = Callable[[Any], Any]
"""Arguments as the model wrote them → arguments as the author's schema has them."""


def _no_restorer() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Published:
    """A schema in a dialect, and the losses of the conversion."""

    schema: Schema  # the author's own object if nothing has to change
    strict: bool = False  # the provider is asked to hold the model to it
    losses: tuple[Loss, ...] = ()
    restore: Callable[[], Restorer | None] = _no_restorer  # computes the restorer, if one is needed
    renames: Mapping[str, str] = field(default_factory=dict)  # property at the root → its published name
