"""Strings of given lengths, patterns and formats."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

from toolgen.proof.containment.formats import FORMATS, is_asserted
from toolgen.proof.containment.results import Found
from toolgen.proof.containment.strings import StringConstraints, find_string, random_strings
from toolgen.proof.instances.choices import Dice
from toolgen.proof.instances.usual_texts import BY_FORMAT
from toolgen.schema.document import Draft

_ORDINARY: Final = (
    "", "a", "Hello, world", "é", "e\u0301", "😀", "日本語", " x ", "1", "true", "null", "a\u0000b", "x\n",
    "\"'\\", "<b>&amp;</b>", "\u202eabc", "{}",
)  # fmt: skip
_LETTERS: Final = "abcXYZ019 _-.é😀\u0301/\\\"'"
_FILLERS: Final = ("a", "0", "é", "😀")
_WORDS: Final = 16  # of each pattern or format, at a time
_SEARCHED_LENGTH: Final = 80  # characters of texts for a pattern with a length


@dataclass(frozen=True, slots=True)
class StringFacts:
    """Constraints on a string, from all schema objects that apply."""

    constraints: StringConstraints
    draft: Draft

    @classmethod
    def of(cls, schemas: Iterable[Mapping[str, Any]], draft: Draft) -> StringFacts:
        """Collect what all schema objects that apply say of a string."""
        schemas = list(schemas)
        limits = [math.floor(schema["maxLength"]) for schema in schemas if "maxLength" in schema]

        def all_of(keyword: str) -> tuple[str, ...]:
            return tuple(dict.fromkeys(schema[keyword] for schema in schemas if keyword in schema))

        constraints = StringConstraints(
            least=max((math.ceil(schema.get("minLength", 0)) for schema in schemas), default=0),
            most=min(limits, default=None),
            patterns=all_of("pattern"),
            formats=(*all_of("format"), *(name for name in all_of("x-format") if name in FORMATS)),
        )
        return cls(constraints, draft)

    @property
    def least(self) -> int:
        """Return the least number of characters."""
        return self.constraints.least

    @property
    def most(self) -> float:
        """Return the greatest number of characters."""
        return math.inf if self.constraints.most is None else self.constraints.most

    @property
    def is_plain(self) -> bool:
        """True if only lengths restrict the string."""
        return not (self.constraints.patterns or self.constraints.formats)

    @property
    def _is_format(self) -> bool:
        """True if only one format, which is asserted, restricts the string."""
        given = self.constraints
        return (
            len(given.formats) == 1
            and is_asserted(given.formats[0], self.draft)
            and not (given.least or given.most is not None or given.patterns)
        )

    def boundaries(self, longest: int) -> Iterator[str]:
        """Yield texts of boundary lengths, and usual edge cases; some of them may be outside."""
        lengths = [self.least, self.least + 1]
        if self.most <= longest:
            lengths += [int(self.most), int(self.most) - 1]
        elif self.least < longest and self.is_plain:
            lengths.append(min(longest, self.least + 1000))
        if not self.is_plain:
            # Not the seed's: boundaries are kept for all seeds.
            random = Random(repr(self.constraints))
            yield from self.random_words(random)
            for length in dict.fromkeys((self.least, self.most)):
                if 0 < length <= min(longest, _SEARCHED_LENGTH):
                    exact = replace(self.constraints, least=int(length), most=int(length))
                    yield from random_strings(exact, 2, draft=self.draft, random=random, longest=int(length))
        for length in dict.fromkeys(lengths):
            if 0 <= length <= longest:
                yield from (filler * length for filler in _FILLERS)
        yield from _ORDINARY

    def random_words(self, random: Random) -> list[str]:
        """Return some random texts that satisfy all constraints; the shortest ones if there are no others."""
        given, draft = self.constraints, self.draft
        if self._is_format:
            name = given.formats[0]
            dice = Dice(f"{random.random()}")
            return [*FORMATS[name].valid, *(BY_FORMAT[name](dice) for _ in range(_WORDS))]
        found = random_strings(given, _WORDS, draft=draft, random=random)
        if not found:
            searched = find_string(given, draft=draft)
            found = [searched.value] if isinstance(searched, Found) else []
        return found

    def random(self, dice: Dice, longest: int) -> str:
        """Return a random text; only lengths restrict it."""
        length = dice.between(self.least, int(max(self.least, min(self.most, self.least + 12))))
        return "".join(dice.one_of(_LETTERS) for _ in range(min(length, longest)))


def matching_text(pattern: str) -> str:
    """Return a text that matches `pattern`, always the same; `x` if none is found."""
    found = random_strings(
        StringConstraints(patterns=(pattern,)), 1, draft=Draft.DRAFT_2020_12, random=Random(pattern)
    )
    return found[0] if found else "x"
