"""A part of a schema that a provider's dialect cannot say."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Loss:
    """A part of the author's schema that a dialect cannot say."""

    path: tuple[str | int, ...]  # from the root of the author's schema to the subschema that has `keyword`
    keyword: str
    reason: str  # one sentence
    fatal: bool = False  # the dialect cannot describe the tool at all
    always: bool = (
        False  # told to those, too, who did not ask for the dialect: what goes out has another shape
    )
