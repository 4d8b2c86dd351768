"""Patterns of authors, translated for the validator's regex engine."""

from __future__ import annotations

import pytest
from toolgen.schema.patterns import translate_pattern
from toolgen.schema.validator import compiled


@pytest.mark.parametrize(
    ("pattern", "result"),
    [
        ("^[a-z]+$", "^[a-z]+$"),
        ("{x}", "\\{x\\}"),
        ("[\\w-.]", "[\\w\\-.]"),
        ("\\<a\\>[\\<]", "<a>[<]"),
        ("\\ud83d\\uDE00", "\\u{1F600}"),
        ("(x)[(](?<n>a)(?:b)\\k<n>", "(x)[(](?<n>a)(?:b)(?:\\2)"),
        ("^[\\p{L}-]{1,512}$", "^(?=[\\x00-\\u{10FFFF}]{1,512}$)(?:[\\p{L}-])*$"),
    ],
)
def test_patterns_are_translated_to_the_engines_syntax(pattern: str, result: str) -> None:
    assert translate_pattern(pattern) == result


@pytest.mark.parametrize(
    ("pattern", "taken", "refused"),
    [
        (r"^\<a\>$", "<a>", "a"),
        (r"^(?<n>a|b)\k<n>$", "bb", "ab"),
        (r"^[\p{L}\p{Z}\p{N}_.:/=+\-@]{0,1024}$", "Größe 1" * 146, "Größe 1" * 147),
        (r"^.{0,30000}$", "x" * 30_000, "x" * 30_001),
        (r"^\ud83d\ude00$", "😀", "x"),
    ],
)
def test_translated_patterns_mean_what_ecma_262_says(pattern: str, taken: str, refused: str) -> None:
    validator = compiled({"properties": {"v": {"pattern": pattern}}})
    assert validator.is_valid({"v": taken})
    assert not validator.is_valid({"v": refused})


@pytest.mark.parametrize("look", ["", "(?=.|$)", r"(a|b|)\1"])
@pytest.mark.parametrize(
    ("member", "taken", "refused"),
    [
        (r"\d", "5", "٣"),
        (r"\D", "٣", "5"),
        (r"\w", "x", "é"),
        (r"\W", "é", "x"),
        (r"\s", "\ufeff", "\x85"),
        (r"\S", "\x85", "\ufeff"),
        (".", "\x85", "\r"),
        (".", "\x0b", "\u2028"),
    ],
)
def test_classes_mean_what_ecma_262_says_beside_lookaround(
    look: str, member: str, taken: str, refused: str
) -> None:
    for way in (member,) if member == "." else (member, f"[{member}]", f"[-{member}]"):
        validator = compiled({"pattern": f"^{look}{way}$"})
        assert validator.is_valid(taken)
        assert not validator.is_valid(refused)


@pytest.mark.parametrize("name", ["é", "List<String>", "a{b}|c"])
def test_references_with_characters_outside_of_uris_are_encoded(name: str) -> None:
    validator = compiled({"$defs": {name: {"type": "integer"}}, "items": {"$ref": f"#/$defs/{name}"}})
    assert validator.is_valid([1])
    assert not validator.is_valid(["1"])
