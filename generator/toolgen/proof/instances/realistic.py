"""Realistic texts and numbers, chosen by format, by the name of a property, and by bounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, TypeVar

from toolgen.proof.instances.choices import Dice
from toolgen.proof.instances.numbers import NumberFacts
from toolgen.proof.instances.strings import StringFacts
from toolgen.proof.instances.usual_texts import BY_FORMAT, TABLE, fill
from toolgen.schema.document import Draft

T = TypeVar("T")

_TRIES: Final = 6  # numbers of one kind
_LONGEST: Final = 5_000  # characters
_LONG: Final = 24  # characters of a text that looks made up


def realistic_scalar(
    kind: str, schemas: Sequence[Mapping[str, Any]], draft: Draft, *, name: str, dice: Dice
) -> Iterator[Any]:
    """Yield realistic values of a kind for a property called `name`, best first; they may be invalid."""
    words = words_of(name)
    if kind == "string":
        yield from _texts(StringFacts.of(schemas, draft), words, dice)
    else:
        yield from _numbers(NumberFacts.of(schemas), words, dice, whole=kind == "integer")


def words_of(name: str) -> list[str]:
    """Return the words of a property's name in lower case: `createdAt`, `created_at` → created, at."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return [found.lower() for found in re.findall(r"[^\W_]+", spaced)]


# Texts


def _texts(facts: StringFacts, words: list[str], dice: Dice) -> Iterator[str]:
    for name in facts.constraints.formats:
        if name in BY_FORMAT:
            yield BY_FORMAT[name](dice)
    named = _row_of(words)
    if not facts.is_plain:
        yield from dice.shuffled(named(dice)) if named else ()
        words_found = facts.random_words(Random(f"{dice.fraction()}"))
        yield from sorted(words_found, key=lambda text: (not _is_printable(text), len(text) > _LONG))
        return
    choices = dice.shuffled(named(dice) if named else _PLAIN)
    yield from choices
    text = " ".join(choices)
    while len(text) < min(facts.least, _LONGEST):
        text = f"{text} {dice.one_of(_PLAIN)}"
    yield text[: int(min(len(text), max(facts.least, min(facts.most, 60))))].strip()
    yield text[: int(min(len(text), facts.most))]
    yield text[: facts.least]


def _row_of(words: Sequence[str]) -> Callable[[Dice], Sequence[str]] | None:
    """Return what makes texts for a property's name; None if none of its words says what it is."""
    if len(words) > 1 and words[0] in ("first", "last") and words[-1] != "name":
        words = words[1:]  # `first_seen` is a moment, and `last_city` a city; `first_name` is a name
        if words[-1] in _MOMENTS or words[-1].endswith("ed"):
            return _BY_NAME["at"]
    # `city_name` is a city; a word alone is what it says
    order = [*reversed(words[:-1]), "name"] if words[-1:] == ["name"] else list(reversed(words))
    return next((found for key in order if (found := _BY_NAME.get(_singular(key)))), None)


def _is_printable(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _singular(text: str) -> str:
    if text.endswith("ies"):
        return text.removesuffix("ies") + "y"
    return text.removesuffix("s") if not text.endswith(("ss", "us", "address")) else text


_MOMENTS: Final = frozenset(
    {"seen", "sent", "paid", "run", "login", "sync", "access", "visit", "activity", "contact"}
)
"""Words after `first` and `last` that say that something happened."""
_PLAIN: Final = ("blue widget", "spring order", "first draft", "weekly report", "north office", "main list")


def _by_word(rows: Mapping[str, T]) -> dict[str, T]:
    return {word: row for words, row in rows.items() for word in words.split()}


def _made(templates: Sequence[str]) -> Callable[[Dice], Sequence[str]]:
    return lambda dice: [fill(each, dice) for each in templates]


_BY_NAME: Final[Mapping[str, Callable[[Dice], Sequence[str]]]] = {
    word: _made(templates) for word, templates in _by_word(TABLE["texts"]).items()
}


# Numbers


def _numbers(facts: NumberFacts, words: list[str], dice: Dice, *, whole: bool) -> Iterator[int | float]:
    named = next((found for key in reversed(words) if (found := _RANGES.get(_singular(key)))), None)
    low, high, digits = named or (1, 100, 2)
    if named is None and (facts.low is not None or facts.high is not None or facts.step is not None):
        yield from (facts.random(dice, whole) for _ in range(_TRIES))
    for _ in range(_TRIES):
        if whole or not digits:
            yield dice.between(low, high)
        else:
            yield round(low + (high - low) * dice.fraction(), digits)
    yield from (facts.random(dice, whole) for _ in range(_TRIES))


_RANGES: Final[Mapping[str, Sequence[int]]] = _by_word(TABLE["numbers"])
