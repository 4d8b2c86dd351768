"""Strings that satisfy lengths, patterns and formats, compared with the validator."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolgen.proof.containment.results import EMPTY, Found, Stuck
from toolgen.proof.containment.strings import StringConstraints, find_string
from toolgen.schema.document import Draft
from toolgen.schema.validator import compiled

from tests.samples import examples


def find(*, draft: Draft = Draft.DRAFT_2020_12, **given_constraints: Any) -> Any:
    return find_string(StringConstraints(**given_constraints), draft=draft)


CONTAINED = [
    (r"^[a-z]+$", r"^[a-zA-Z]+$"),
    (r"^[A-Za-z0-9._:-]{1,128}$", r"^[A-Za-z0-9._:/-]{1,128}$"),
    (r"^a{2,3}$", r"^aaa?$"),
    (r"^\d+$", r"^[0-9]*$"),
    (r"error", r"[eE]rror"),
    (r"[a-z]{3,20}", r"[a-z]{3}"),
    (r"^[\s\S]{5,50}$", r"^[\s\S]{5}"),
    (r"^(?!-)[a-z-]{1,20}(?<!-)$", r"^[a-z]([a-z-]*[a-z])?$"),
    (r"^(?=.*\d).{8,}$", r"^(?=.*\d)"),
    (r"\bfoo\b", r"foo"),
    (r"^[^\W_]+$", r"^[a-zA-Z0-9]+$"),
    (r"^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$", r""),
    (r"^[A-Z][A-Z0-9_]+-\d+(?:-\d+)*$", r"^[A-Z0-9_-]+$"),
]


@pytest.mark.parametrize(("narrow", "wide"), CONTAINED)
def test_a_pattern_within_another_is_proved(narrow: str, wide: str) -> None:
    assert find(patterns=(narrow,), not_patterns=(wide,)) is EMPTY


@pytest.mark.parametrize("pattern", [r"^(?i)a$", r"^a{2}{3}$", r"^a++$"])
def test_patterns_that_are_not_read_are_unknown(pattern: str) -> None:
    assert isinstance(find(patterns=(pattern,), not_patterns=("a",)), Stuck)
    assert isinstance(find(patterns=("^[cd]{4}$",), not_patterns=(pattern,)), Found)


def test_counts_of_nothing_are_nothing() -> None:
    assert find(patterns=("^((){9999}){9999}a$",)) == Found("a")


@pytest.mark.slow
def test_expensive_patterns_end_in_unknown() -> None:
    scripts = "".join(
        f"[[{chr(first)}]?" for first in range(ord("a"), ord("z"))
    )  # each is asked of the engine
    assert isinstance(find(patterns=(f"^{scripts}$",), least=1, not_patterns=("^.",)), Stuck)
    assert isinstance(find(patterns=(r"a.{20}$",), not_patterns=(r"[ab].{20}$",)), Stuck)
    assert isinstance(find(patterns=(r"((a{1,99}){1,99}){1,99}",), not_patterns=("a",)), Stuck)
    assert isinstance(find(patterns=("(" * 500 + ")" * 500,), not_patterns=("a",)), Stuck | Found)


@pytest.mark.parametrize(
    ("constraints", "result"),
    [
        ({"formats": ("date",), "not_formats": ("date",)}, EMPTY),
        ({"formats": ("uuid",), "not_patterns": ("^[0-9a-fA-F-]{36}$",)}, EMPTY),
        ({"formats": ("uuid",), "most": 35}, EMPTY),
        ({"formats": ("ipv4",), "not_formats": ("hostname",)}, EMPTY),
        ({"formats": ("unheard-of",)}, Found("")),
        ({"formats": ("uri",), "not_patterns": ("^https?://",)}, Found("mailto:a@example.com")),
        ({"formats": ("date",), "patterns": (r"^\d{4}-",)}, Found("2024-02-29")),
        ({"formats": ("date-time",), "not_formats": ("date",)}, Found("2024-01-31T12:00:00Z")),
        ({"formats": ("email",), "least": 30, "most": 30, "patterns": (r"@a\.b$",)}, None),
    ],
)
def test_formats_are_decided(constraints: dict[str, Any], result: Any) -> None:
    found = find(**constraints)
    assert found == result if result is not None else isinstance(found, Found)


# Properties

ATOMS = st.sampled_from(
    [
        "a",
        "b",
        ".",
        "[ab]",
        "[^a]",
        r"\d",
        r"\w",
        r"\s",
        r"\S",
        "[a-c]",
        "é",
        "-",
        r"\.",
        "[0-9_]",
        r"\D",
        "^",
        "$",
        r"\b",
    ]
)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{0,25}", "*?"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
    ),
    max_leaves=6,
).flatmap(
    lambda inner: st.sampled_from([inner, f"^{inner}$", f"^{inner}", f"^(?!a){inner}$", f"^(?=.*b){inner}"])
)
TEXTS = st.text(alphabet="ab-_.0 \né\u0661Z", max_size=6)


@settings(max_examples=examples(100), deadline=None)
@given(
    patterns=st.lists(PATTERNS, max_size=2),
    not_patterns=st.lists(PATTERNS, max_size=2),
    limits=st.tuples(st.integers(0, 3), st.one_of(st.none(), st.integers(0, 6))),
    samples=st.lists(TEXTS, min_size=20, max_size=40),
)
def test_what_is_found_is_valid_and_what_is_proved_is_never_refuted(
    patterns: list[str],
    not_patterns: list[str],
    limits: tuple[int, int | None],
    samples: list[str],
) -> None:
    schema: dict[str, Any] = {"minLength": limits[0]} | (
        {} if limits[1] is None else {"maxLength": limits[1]}
    )
    schema["allOf"] = [{"pattern": one} for one in patterns] + [
        {"not": {"pattern": one}} for one in not_patterns
    ]
    schema["allOf"].append(True)
    validator = compiled(schema)
    found = find(least=limits[0], most=limits[1], patterns=tuple(patterns), not_patterns=tuple(not_patterns))
    if isinstance(found, Found):
        assert validator.is_valid(found.value)
    elif found is EMPTY:
        assert not any(map(validator.is_valid, samples))
