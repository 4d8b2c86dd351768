"""Numbers that satisfy bounds and multiples, compared with the validator."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolgen.proof.containment.numbers import (
    NumberConstraints,
    exact_number,
    find_number,
)
from toolgen.proof.containment.results import EMPTY, Found
from toolgen.schema.validator import compiled

from tests.samples import examples


def constraints(**keywords: Any) -> NumberConstraints:
    """Return constraints from the keywords of a schema and of one that must not hold."""
    found = NumberConstraints(integer=keywords.get("integer"))
    for keyword, inclusive in (("minimum", True), ("exclusiveMinimum", False)):
        if keyword in keywords:
            found = found.with_lower(exact_number(keywords[keyword]), inclusive=inclusive)
    for keyword, inclusive in (("maximum", True), ("exclusiveMaximum", False)):
        if keyword in keywords:
            found = found.with_upper(exact_number(keywords[keyword]), inclusive=inclusive)
    return NumberConstraints(
        found.lower,
        found.upper,
        multiples=tuple(map(exact_number, keywords.get("multiples", ()))),
        not_multiples=tuple(map(exact_number, keywords.get("not_multiples", ()))),
        integer=found.integer,
        excluded=frozenset(map(exact_number, keywords.get("excluded", ()))),
    )


def schema_of(keywords: dict[str, Any]) -> dict[str, Any]:
    """Return the schema that says the same."""
    plain = {key: value for key, value in keywords.items() if key.startswith(("min", "max", "exclusive"))}
    parts: list[Any] = [{"multipleOf": step} for step in keywords.get("multiples", ())]
    parts += [{"not": {"multipleOf": step}} for step in keywords.get("not_multiples", ())]
    parts += [{"not": {"enum": list(keywords["excluded"])}}] if keywords.get("excluded") else []
    if (integer := keywords.get("integer")) is not None:
        parts.append({"type": "integer"} if integer else {"not": {"type": "integer"}})
    return {"type": "number", **plain, "allOf": [True, *parts]}


@pytest.mark.parametrize(
    "keywords",
    [
        {"minimum": 3, "maximum": 2},
        {"exclusiveMinimum": 3, "exclusiveMaximum": 4, "integer": True},
        {"multiples": [0.5], "exclusiveMinimum": 0, "exclusiveMaximum": 0.5},
        {"multiples": [6], "not_multiples": [3]},
        {"minimum": 3, "maximum": 3, "excluded": [3.0]},
        {"multiples": [3], "integer": False},
        {"minimum": 2**53, "maximum": 2**53 - 1},
    ],
)
def test_contradictions_are_proved(keywords: dict[str, Any]) -> None:
    assert find_number(constraints(**keywords)) is EMPTY


NUMBERS = st.one_of(
    st.integers(-12, 12),
    st.sampled_from(
        [
            0.1,
            0.25,
            0.5,
            1.5,
            -0.75,
            1e-7,
            2.0,
            99.99,
            2**53,
            2**53 + 1,
            2**64,
            1e22,
            10**25,
            1e25,
            float(2**60 + 999),
            -1e300,
        ]
    ),
)
STEPS = st.sampled_from([1, 2, 3, 4, 6, 0.01, 0.1, 0.5, 1.5, 2.5, 10, 1e-5, 2**60])
KEYWORDS = st.fixed_dictionaries(
    {},
    optional={
        "minimum": NUMBERS,
        "maximum": NUMBERS,
        "exclusiveMinimum": NUMBERS,
        "exclusiveMaximum": NUMBERS,
        "multiples": st.lists(STEPS, max_size=2),
        "not_multiples": st.lists(STEPS, max_size=2),
        "integer": st.booleans(),
        "excluded": st.lists(NUMBERS, max_size=3),
    },
)


@settings(max_examples=examples(150), deadline=None)
@given(KEYWORDS, st.lists(NUMBERS, max_size=10))
def test_what_is_found_is_valid_and_what_is_proved_is_never_refuted(
    keywords: dict[str, Any], samples: list[float]
) -> None:
    validator = compiled(schema_of(keywords))
    found = find_number(constraints(**keywords))
    if isinstance(found, Found):
        assert validator.is_valid(found.value)
    elif found is EMPTY:
        bounds = [bound for key, bound in keywords.items() if key.startswith(("min", "max", "exclusive"))]
        samples = [
            *samples,
            *range(-13, 14),
            *(bound + by for bound in bounds for by in (-1, -0.01, 0.01, 1)),
        ]
        assert not any(map(validator.is_valid, samples))
