"""The schemas that a tool publishes in a dialect, and what these cannot express."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolgen.schema.document import Schema

Restorer = Callable[[Any], Any]
"""Arguments as the model wrote them → arguments as the author's schema has them."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A keyword of the author's schema that a dialect cannot express."""

    path: tuple[str | int, ...]  # from the root of the author's schema to the subschema that has `keyword`
    keyword: str
    reason: str  # one sentence
    fatal: bool = False  # the dialect cannot describe the tool at all
    always: bool = False  # reported in any case: what is published has another shape


@dataclass(frozen=True, slots=True)
class Published:
    """A schema in a dialect, and the losses of the conversion."""

    schema: Schema  # the author's own object if nothing has to change
    strict: bool = False  # the provider is asked to hold the model to it
    losses: tuple[Loss, ...] = ()
    restore: Callable[[], Restorer | None] = lambda: None  # computes the restorer, if one is needed
    renames: Mapping[str, str] = field(default_factory=dict)  # property at the root → its published name
