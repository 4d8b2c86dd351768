"""Results of comparing schemas, and of the searches for a value that this consists of."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar

from toolgen.proof.containment.formulas import Place
from toolgen.schema.document import JsonPath

T_co = TypeVar("T_co", covariant=True)


# Of a comparison


@dataclass(frozen=True, slots=True)
class Contained:
    """Proved: the wide schema accepts every value that the narrow one accepts."""


@dataclass(frozen=True, slots=True)
class NotContained:
    """`witness` is accepted by the narrow schema and refused by the wide one, as the validators confirmed."""

    witness: Any


@dataclass(frozen=True, slots=True)
class Unanalysed:
    """Neither proved nor refuted."""

    reason: str  # what could not be decided, a phrase without a full stop
    path: JsonPath = ()  # of the keyword that could not be decided, in the document of `side`
    side: Literal["narrow", "wide"] = "narrow"


Containment = Contained | NotContained | Unanalysed


# Of a search for values that satisfy constraints


@dataclass(frozen=True, slots=True)
class Found(Generic[T_co]):
    """A value that satisfies the constraints."""

    value: T_co


class Empty(enum.Enum):
    """The type of `EMPTY`."""

    EMPTY = "empty"


EMPTY: Final = Empty.EMPTY
"""Proof that no such value exists."""


class _Nothing:
    """The type of `NO_GUESS`."""


NO_GUESS: Final = _Nothing()


@dataclass(frozen=True, slots=True)
class Stuck:
    """No value was found, and none was excluded."""

    reason: str
    place: Place | None = None
    guess: Any = NO_GUESS  # a value that may satisfy the goal

    def has_guess(self) -> bool:
        """True if there is a value that is worth a try."""
        return self.guess is not NO_GUESS


Answer = Found[Any] | Empty | Stuck
Search = Found[T_co] | Literal[Empty.EMPTY] | Stuck
