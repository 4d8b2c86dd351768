"""Parts of a schema that a provider's dialect cannot express."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Loss:
    """A keyword of the author's schema that a dialect cannot express."""

    path: tuple[str | int, ...]  # from the root of the author's schema to the subschema that has `keyword`
    keyword: str
    reason: str  # one sentence
    fatal: bool = False  # the dialect cannot describe the tool at all
    always: bool = False  # reported in any case: what is published has another shape
