"""The patterns of formats, compared with the validator."""

from __future__ import annotations

import random

import pytest
from toolgen.proof.containment.formats import FORMATS, is_asserted, matches_format
from toolgen.proof.containment.regular.formula import formula_of
from toolgen.proof.containment.regular.syntax import parse_pattern
from toolgen.proof.containment.regular.words import TextSearch
from toolgen.schema.document import Draft
from toolgen.schema.keywords import FORMATS as ASSERTED
from toolgen.schema.validator import compiled

DRAFT = Draft.DRAFT_2020_12
CHARACTERS = [
    chr(code) for code in [*range(0x80), 0xA0, 0xE9, 0x300, 0x3002, 0xFDD0, 0x1F600, 0xE0100, 0x10FFFF]
]


def test_every_format_that_the_validator_asserts_is_known() -> None:
    assert set(FORMATS) == ASSERTED
    assert all(is_asserted(name, DRAFT) for name in FORMATS)
    assert {name for name in FORMATS if not is_asserted(name, Draft.DRAFT_7)} == {"duration", "uuid"}


@pytest.mark.parametrize("name", FORMATS)
def test_example_texts_are_valid_and_invalid(name: str) -> None:
    known = FORMATS[name]
    assert all(matches_format(text, name, DRAFT) for text in known.valid)
    assert not any(matches_format(text, name, DRAFT) for text in known.invalid)


@pytest.mark.parametrize("name", FORMATS)
def test_patterns_match_what_the_validator_accepts(name: str) -> None:
    known = FORMATS[name]
    pattern = compiled({"pattern": known.pattern})
    words = TextSearch(formula_of(parse_pattern(known.pattern))).random_words(60, random.Random(7), 40)
    texts = [*known.valid, *known.invalid, *words]
    for text in known.valid:
        for at in range(len(text) + 1):
            texts += [text[:at] + one + text[at:] for one in CHARACTERS]
            texts += [text[:at] + one + text[at + 1 :] for one in CHARACTERS]
    for text in texts:
        accepted = matches_format(text, name, DRAFT)
        assert pattern.is_valid(text) or not accepted, text
        assert accepted or not known.is_exact or not pattern.is_valid(text), text
