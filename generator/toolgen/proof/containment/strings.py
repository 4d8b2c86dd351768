"""Search for strings that satisfy lengths, patterns and formats."""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any

from toolgen.proof.containment.formats import FORMATS, is_asserted, matches_format
from toolgen.proof.containment.regular.formula import AllOf, Formula, Matches, Not, formula_of, loosen
from toolgen.proof.containment.regular.syntax import NotRegularError, parse_pattern
from toolgen.proof.containment.regular.words import STEPS, TextSearch
from toolgen.proof.containment.results import EMPTY, Found, Search, Stuck
from toolgen.proof.work import BudgetSpentError, WorkBudget
from toolgen.schema.document import Draft
from toolgen.schema.validator import compiled

_LONGEST = 1_000_000  # characters of a witness
_SPARE = 20  # texts more than are needed, for those that the validator refuses
_EXPENSIVE = "patterns that are too expensive to compare"


@dataclass(frozen=True, slots=True)
class StringConstraints:
    """Constraints on one string. Lengths are in code points."""

    least: int = 0
    most: int | None = None
    patterns: tuple[str, ...] = ()
    not_patterns: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    not_formats: tuple[str, ...] = ()
    excluded: frozenset[str] = frozenset()


def find_string(constraints: StringConstraints, *, draft: Draft) -> Search[str]:
    """Find a string, a short one if there are several."""
    try:
        given = _without_annotations(constraints, draft)
        if given is None or _is_contradiction(given):
            return EMPTY
        if given.least > _LONGEST:
            return Stuck("a string of more than a million characters")
        if not (given.patterns or given.not_patterns or given.formats or given.not_formats):
            return _find_plain(given)
        return _find_special(given, draft)
    except ValueError:
        return Stuck("a pattern that the validator refuses")


def random_strings(
    constraints: StringConstraints, count: int, *, draft: Draft, random: Random, longest: int = 40
) -> list[str]:
    """Return up to `count` random strings, mostly of at most `longest` characters."""
    try:
        given = _without_annotations(constraints, draft)
        if given is None or _is_contradiction(given) or given.least > _LONGEST:
            return []
        pool = [text for name in given.formats for text in FORMATS[name].valid]
        search = _Patterns(given).search(given, WorkBudget(STEPS))
        found = search.random_words(count, random, longest)
        found = [*random.sample(pool, len(pool)), *found] if pool else found
        return [text for text in found if _satisfies(text, given, draft)][:count]
    except (ValueError, BudgetSpentError):
        return []


def _without_annotations(constraints: StringConstraints, draft: Draft) -> StringConstraints | None:
    """Leave out formats that the validator does not assert; None if one of them must not match."""
    if not all(is_asserted(name, draft) for name in constraints.not_formats):
        return None
    asserted = tuple(name for name in constraints.formats if is_asserted(name, draft))
    return replace(constraints, formats=asserted)


def _is_contradiction(given: StringConstraints) -> bool:
    if given.most is not None and given.least > given.most:
        return True
    if set(given.patterns) & set(given.not_patterns) or set(given.formats) & set(given.not_formats):
        return True
    return any(not set(FORMATS[name].within).isdisjoint(given.not_formats) for name in given.formats)


def _find_plain(given: StringConstraints) -> Search[str]:
    """Find a string that only lengths restrict."""
    # Letters first; there are more than a million characters.
    codes = itertools.chain(range(ord("a"), ord("z") + 1), range(ord("\U00010000"), sys.maxunicode))
    rest = "a" * (given.least - 1)
    texts = itertools.chain([""] if given.least == 0 else [], (chr(code) + rest for code in codes))
    few = itertools.islice(texts, 1 if given.most == 0 else 1 + len(given.excluded))
    found = next((text for text in few if text not in given.excluded), None)
    return EMPTY if found is None else Found(found)


def matches_pattern(text: str, pattern: str) -> bool:
    """True if the validator finds a match of `pattern`. Raises ValueError if it cannot read one of them."""
    return bool(_pattern_validator(pattern).is_valid(text))


@lru_cache
def _pattern_validator(pattern: str) -> Any:
    return compiled({"pattern": pattern})


def _satisfies(text: str, given: StringConstraints, draft: Draft) -> bool:
    """Ask the validator for each constraint."""
    if (
        text in given.excluded
        or len(text) < given.least
        or (given.most is not None and len(text) > given.most)
    ):
        return False
    return (
        all(matches_pattern(text, pattern) for pattern in given.patterns)
        and not any(matches_pattern(text, pattern) for pattern in given.not_patterns)
        and all(matches_format(text, name, draft) for name in given.formats)
        and not any(matches_format(text, name, draft) for name in given.not_formats)
    )


def _find_special(given: StringConstraints, draft: Draft) -> Search[str]:
    """Try usual texts of the formats, then texts that may satisfy all constraints."""
    usual = [text for name in given.formats for text in FORMATS[name].valid]
    usual += [text for name in given.not_formats for text in FORMATS[name].invalid]
    for text in usual:
        if _satisfies(text, given, draft):
            return Found(text)
    patterns = _Patterns(given)
    try:
        search = patterns.search(given, WorkBudget(STEPS))
        shortest = search.shortest()
    except (BudgetSpentError, NotRegularError):
        return _undecided(patterns, given)
    if shortest is None:
        return EMPTY
    if _satisfies(shortest, given, draft):
        return Found(shortest)
    words = search.words(1 + len(given.excluded) + _SPARE)
    found = next((text for text in words.texts if _satisfies(text, given, draft)), None)
    if found is not None:
        return Found(found)
    return EMPTY if words.is_complete else _undecided(patterns, given)


def _undecided(patterns: _Patterns, given: StringConstraints) -> Stuck:
    names = [*given.formats, *given.not_formats]
    reason = f"the format {names[0]}, which is more than a pattern can say" if names else _EXPENSIVE
    return Stuck(patterns.unread[0] if patterns.unread else reason)


# Constraints as formulas


class _Patterns:
    """Formulas of patterns and formats, of strings that may satisfy them."""

    def __init__(self, given: StringConstraints) -> None:
        self.parts: list[Formula] = []
        self.unread: list[str] = []  # why patterns are left out
        for pattern in (*given.patterns, *(FORMATS[name].pattern for name in given.formats)):
            self._add(pattern, negative=False)
        exact = (FORMATS[name].pattern for name in given.not_formats if FORMATS[name].is_exact)
        for pattern in (*given.not_patterns, *exact):
            self._add(pattern, negative=True)

    def _add(self, pattern: str, *, negative: bool) -> None:
        try:
            node = parse_pattern(pattern)
        except NotRegularError as error:
            self.unread.append(str(error))
            return
        try:
            formula = formula_of(node)
            self.parts.append(Not(formula) if negative else formula)
        except NotRegularError as error:
            self.unread.append(str(error))
            if not negative:
                self.parts.append(Matches(loosen(node)))

    def search(self, given: StringConstraints, work: WorkBudget) -> TextSearch:
        """Return the search for strings of which all this is true. Raises `NotRegularError`."""
        return TextSearch(AllOf(tuple(self.parts)), least=given.least, most=given.most, work=work)
