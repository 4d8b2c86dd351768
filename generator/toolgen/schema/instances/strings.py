"""Strings of given lengths, patterns and formats."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.schema.instances.choices import Dice
from toolgen.schema.instances.formats import VALID
from toolgen.schema.instances.texts import word

_ORDINARY: Final = (
    "", "a", "Hello, world", "é", "e\u0301", "😀", "日本語", " x ", "1", "true", "null", "a\u0000b", "x\n",
    "\"'\\", "<b>&amp;</b>", "\u202eabc", "{}",
)  # fmt: skip
_LETTERS: Final = "abcXYZ019 _-.é😀\u0301/\\\"'"
_FILLERS: Final = ("a", "0", "é", "😀")
_WORDS: Final = 12  # of each pattern


@dataclass(frozen=True, slots=True)
class StringFacts:
    """Lengths, patterns and formats of a string."""

    least: int
    most: float
    patterns: tuple[str, ...]
    formats: tuple[str, ...]

    @classmethod
    def of(cls, schemas: Iterable[Mapping[str, Any]]) -> StringFacts:
        """Collect what all schema objects that apply say of a string."""
        schemas = list(schemas)
        return cls(
            least=max((math.ceil(schema.get("minLength", 0)) for schema in schemas), default=0),
            most=min((schema.get("maxLength", math.inf) for schema in schemas), default=math.inf),
            patterns=tuple(dict.fromkeys(schema["pattern"] for schema in schemas if "pattern" in schema)),
            formats=tuple(
                dict.fromkeys(schema["format"] for schema in schemas if schema.get("format") in VALID)
            ),
        )

    def boundaries(self, dice: Dice, longest: int) -> Iterator[str]:
        """Yield texts of boundary lengths, and usual edge cases; some of them may be outside."""
        for name in self.formats:
            yield from VALID[name]
        for pattern in self.patterns:
            yield from (word(pattern, dice, self.least, self.most) for _ in range(_WORDS))
        lengths = [self.least, self.least + 1]
        if self.most <= longest:
            lengths += [int(self.most), int(self.most) - 1]
        elif self.least < longest and not self.patterns and not self.formats:
            lengths.append(min(longest, self.least + 1000))
        for length in dict.fromkeys(lengths):
            if 0 <= length <= longest:
                yield from (filler * length for filler in (_FILLERS if length <= 100 else _FILLERS[:1]))
        yield from _ORDINARY

    def random(self, dice: Dice, longest: int) -> str:
        """Return a text that is probably valid."""
        if self.formats:
            return dice.one_of(VALID[dice.one_of(self.formats)])
        if self.patterns:
            return word(dice.one_of(self.patterns), dice, self.least, self.most)
        length = dice.between(self.least, int(max(self.least, min(self.most, self.least + 12))))
        length = min(length, longest)
        return "".join(dice.one_of(_LETTERS) for _ in range(length))
