"""What is at a position, and what is typed there: in flow and block style, in quotes, in text that is no YAML."""

from __future__ import annotations

import pytest
from toolgen.cli.language_server.cursor import place_at, typed_at


@pytest.mark.parametrize(
    ("text", "path", "is_key", "word", "keys"),
    [
        ("na|", (), True, "na", set()),
        ("name: a\nde|", (), True, "de", {"name"}),
        ("name: fi|", ("name",), False, "fi", set()),
        ("a:\n  b: {c: 1, d|", ("a", "b"), True, "d", {"c"}),
        ("a: {b: [x, y|", ("a", "b", 1), False, "y", set()),
        ("a:\n  - b: 1\n    c|", ("a", 0), True, "c", {"b"}),
        ('a: "b/c#|', ("a",), False, "b/c#", set()),
        ("a: 'its |", ("a",), False, "its ", set()),
        ("a: }\nb: 1\nc: |", ("c",), False, "", set()),
        ("a: 1\nbroken\nc:\n  d|", ("c",), True, "d", set()),
        ("a: 1\n\n|", (), True, "", {"a"}),
        ("a: |\n  text\n", ("a",), False, "", set()),
    ],
)
def test_what_is_typed(text: str, path: tuple[str, ...], is_key: bool, word: str, keys: set[str]) -> None:
    before = text.partition("|")[0]
    line, column = before.count("\n"), len(before.rpartition("\n")[2])
    found = [each for each in typed_at(text.replace("|", "", 1), line, column) if each.is_key == is_key]
    assert [(each.path, each.word, set(each.keys)) for each in found] == [(path, word, keys)]


def test_inside_of_a_text_of_several_lines_nothing_is_typed() -> None:
    assert typed_at("a: >-\n  some te\n", 1, 9) == []


def test_places_are_found_up_to_the_first_mistake() -> None:
    text = "a:\n  b: 'c d'  # e\nf: [\n"
    place = place_at(text, 1, 7)
    assert place is not None
    assert (place.path, place.is_key, place.text, place.start, place.end) == (
        ("a", "b"),
        False,
        "c d",
        (1, 5),
        (1, 10),
    )
    assert place_at(text, 1, 14) is None
    key = place_at(text, 2, 0)
    assert key is not None
    assert (key.path, key.is_key) == (("f",), True)
