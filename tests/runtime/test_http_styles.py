"""Styles of parameters: the table of OpenAPI 3.1, and what is beyond it."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.runtime.errors import InvalidRequestError
from toolgen.runtime.http.request import in_header, in_path, in_query

LIST = ["blue", "black", "brown"]
OBJECT = {"R": 100, "G": 200, "B": 150}


@pytest.mark.parametrize(
    ("style", "explode", "text", "many", "pairs"),
    [
        ("simple", False, "blue", "blue,black,brown", "R,100,G,200,B,150"),
        ("simple", True, "blue", "blue,black,brown", "R=100,G=200,B=150"),
        ("label", False, ".blue", ".blue,black,brown", ".R,100,G,200,B,150"),
        ("label", True, ".blue", ".blue.black.brown", ".R=100.G=200.B=150"),
        ("matrix", False, ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"),
        ("matrix", True, ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"),
    ],
)
def test_paths(style: str, explode: bool, text: str, many: str, pairs: str) -> None:
    how = {"style": style, "explode": explode}
    assert [in_path("color", value, how) for value in ("blue", LIST, OBJECT)] == [text, many, pairs]


@pytest.mark.parametrize(
    ("how", "value", "query"),
    [
        ({}, "blue", "color=blue"),
        ({}, LIST, "color=blue&color=black&color=brown"),
        ({}, OBJECT, "R=100&G=200&B=150"),
        ({"explode": False}, LIST, "color=blue,black,brown"),
        ({"explode": False}, OBJECT, "color=R,100,G,200,B,150"),
        ({"style": "spaceDelimited"}, LIST, "color=blue%20black%20brown"),
        (
            {"style": "deepObject", "explode": True},
            OBJECT,
            "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
        ),
        ({"style": "deepObject"}, {"a": [{"b": None, "c": 1}]}, "color%5Ba%5D%5B0%5D%5Bc%5D=1"),
        (
            {"media_type": "application/json"},
            OBJECT,
            "color=%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D",
        ),
        ({"allow_reserved": True}, "a/b?c&d=e#f", "color=a/b?c%26d%3De%23f"),
    ],
)
def test_queries(how: dict[str, Any], value: Any, query: str) -> None:
    assert "&".join(f"{key}={text}" for key, text in in_query("color", value, how)) == query


def test_headers_and_cookies() -> None:
    assert in_header("X", LIST, {}) == "blue,black,brown"
    assert in_header("X", OBJECT, {}) == "R,100,G,200,B,150"
    assert in_header("X", OBJECT, {"explode": True}) == "R=100,G=200,B=150"
    assert in_header("X", {"a": "é"}, {"media_type": "application/json"}) == '{"a": "\\u00e9"}'
    assert in_query("c", "a;b=c", {}) == [("c", "a%3Bb%3Dc")]
    for bad in ("a\r\nb", "a\x00", ["a", "\n"], {"a\n": 1}, "\x7f"):
        with pytest.raises(InvalidRequestError):
            in_header("X", bad, {})


@pytest.mark.parametrize("style", ["simple", "label", "matrix"])
@pytest.mark.parametrize("value", ["", [], {}, "..", ["..", "x"], {"a": "../b"}, "x/../y", ".", "a\\..\\b"])
def test_paths_are_not_left(style: str, value: Any) -> None:
    for explode in (False, True):
        with pytest.raises(InvalidRequestError):
            in_path("id", value, {"style": style, "explode": explode, "allow_reserved": True})
