"""Values and texts of any size, one function for each shape that makes software slow."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

Json = Any
Shape = Callable[[int, random.Random], Json]

SHAPES: dict[str, Shape] = {}
"""By name: a JSON value of about so many characters. With one seed, its parts are of the same kinds."""

_DEEPEST = 190  # levels that a call accepts
_LETTERS = {
    "ascii": "abcdefghij",
    "blank": " \t",
    "lines": "a\n",
    "wide": "é\u0301ﷺ\U0001f468\u200d\U0001f469",
    "hidden": "\u202e\u2066\u200b\u0334\ufe0f",
    "syntax": "\"\\'{}[]<>&;:/|=*",
    "digits": "0123456789",
    "dots": "a.-_ ",
    "controls": "\x00\x1b\r\x7f\x85",
}


def shape(function: Shape) -> Shape:
    """Register the function as a shape under its name."""
    SHAPES[function.__name__] = function
    return function


def make(recipe: Json, size: int) -> Json:
    """Return the value of a recipe (`shape`, `seed`) with about `size` characters."""
    return SHAPES[recipe["shape"]](size, random.Random(recipe["seed"]))


def letters(source: random.Random) -> str:
    """Return a small alphabet of one kind."""
    return source.choice(list(_LETTERS.values()))


def texts(source: random.Random, length: int) -> Iterator[str]:
    """Yield texts of a length that differ in their last characters."""
    head = (letters(source) * length)[:length]
    for number in range(10**9):
        yield f"{head}{number}"


def _count(size: int, each: int) -> int:
    return max(1, size // each)


@shape
def long_text(size: int, source: random.Random) -> Json:
    return (letters(source) * size)[:size]


@shape
def many_texts(size: int, source: random.Random) -> Json:
    length = source.choice((1, 4, 30, 300))
    return [text for text, _ in zip(texts(source, length), range(_count(size, length + 9)), strict=False)]


@shape
def lines_of_texts(size: int, source: random.Random) -> Json:
    return [f"a\n{number}" for number in range(_count(size, 10))]


@shape
def many_equal_texts(size: int, source: random.Random) -> Json:
    text = (letters(source) * 20)[: source.randint(1, 20)]
    return [text] * _count(size, len(text) + 4)


@shape
def growing_texts(size: int, source: random.Random) -> Json:
    """Texts that each begin with the one before."""
    letter, count = source.choice("a \n"), int((2 * size) ** 0.5)
    return [letter * length + "!" for length in range(count)]


@shape
def many_keys(size: int, source: random.Random) -> Json:
    head = source.choice(("property_", "", "-", "é", "a b ", "x" * 100, "\n", "'"))
    return {f"{head}{number}": source.choice((1, "x")) for number in range(_count(size, len(head) + 13))}


@shape
def nearly_known_keys(size: int, source: random.Random) -> Json:
    return {f"name-of-propertx-{number}": 1 for number in range(_count(size, 28))}


@shape
def keys_of_digits(size: int, source: random.Random) -> Json:
    return {str(number): ["x"] for number in range(_count(size, 16))}


@shape
def many_empty(size: int, source: random.Random) -> Json:
    empty = source.choice(("{}", "[]", '""', "0", "null", "true", "0.5"))
    return [json.loads(empty) for _ in range(_count(size, len(empty) + 2))]


@shape
def many_objects(size: int, source: random.Random) -> Json:
    inner: dict[str, Json] = {
        f"k{n}": source.choice((1, "x", None, [], {})) for n in range(source.randint(1, 5))
    }
    each = len(json.dumps(inner)) + 2
    return [{**inner, "n": number} for number in range(_count(size, each + 12))]


@shape
def equal_objects(size: int, source: random.Random) -> Json:
    inner = {"a": list(range(source.choice((1, 100)))), "b": "x"}
    return [inner] * _count(size, len(json.dumps(inner)) + 2)


@shape
def deep(size: int, source: random.Random) -> Json:
    """Nested as deep as a call may be, as often as there is room."""
    key, levels = source.choice(("of", "node", None)), source.choice((10, 60, _DEEPEST))
    inner: Json = source.choice((1, "x", {}, []))
    for _ in range(levels):
        inner = [inner] if key is None else {key: inner}
    return [inner] * _count(size, len(json.dumps(inner)) + 2)


@shape
def deeper(size: int, source: random.Random) -> Json:
    """Nested deeper with each size, to the limit."""
    inner: Json = 1
    for _ in range(min(size // 8, _DEEPEST)):
        inner = {"of": inner, "and": inner} if source.random() < 0.02 else {"of": inner}
    return inner


@shape
def long_integers(size: int, source: random.Random) -> Json:
    digits = source.choice((20, 300, 4_290))
    return [10**digits + number for number in range(_count(size, digits + 3))]


@shape
def odd_numbers(size: int, source: random.Random) -> Json:
    number = source.choice((1e300, 1.1, 1e-300, 0.1 + 0.2, 2**53 + 1, -0.0))
    return [number] * _count(size, len(json.dumps(number)) + 2)


@shape
def json_in_texts(size: int, source: random.Random) -> Json:
    """Texts that are JSON, which coercion reads."""
    inner = source.choice(("1", "[1]", '{"a": "[1]"}', "1.0", '"\\"1\\""', "1e5", "[", "{" * 50, "01"))
    return [inner] * _count(size, len(json.dumps(inner)) + 2)


@shape
def json_in_one_text(size: int, source: random.Random) -> Json:
    inner = source.choice(("1.0", "[1]", '"x"', '{"a": 1}', "1e5", "9" * 300))
    text = "[" + ",".join([inner] * _count(size, len(inner) + 1)) + "]"
    for _ in range(source.randint(0, 2)):
        text = json.dumps(text)
    return text[: size if source.random() < 0.2 else None]


@shape
def mixed(size: int, source: random.Random) -> Json:
    """Several other shapes beside each other."""
    names = source.sample([name for name in SHAPES if name not in ("mixed", "within")], 3)
    return {name: SHAPES[name](size // 3, source) for name in names}


@shape
def within(size: int, source: random.Random) -> Json:
    """Another shape, some levels down."""
    inner = SHAPES[source.choice([name for name in SHAPES if name not in ("mixed", "within")])](size, source)
    for step in source.choices(("of", "x", 0), k=source.randint(1, 5)):
        inner = [inner] if step == 0 else {step: inner}
    return inner


_FRAGMENTS: dict[str, tuple[str, ...]] = {
    "yaml": (
        "a: 1\n",
        "- ",
        "? ",
        "&a ",
        "*a ",
        "<<: *a\n",
        "!!str ",
        "#",
        "| \n",
        ">-\n  x\n",
        "'",
        '"',
        "'' ",
        "{",
        "}",
        "[",
        "]",
        ", ",
        "{a: ",
        "- - ",
        "\n",
        "\n\n",
        "  ",
        "%YAML 1.2\n",
        "---\n",
        "...\n",
        "\\u0041",
        "\\\n",
        "k{n}: v\n",
        "k{n}: &a{n} v\n",
        "k{n}: *a\n",
        "'k{n}': [1, 2]\n",
        "- k{n}\n",
        "\t",
        "\r\n",
        "é",
        "\u2028",
        "? k{n}\n: v\n",
    ),
    "toml": (
        "a",
        ".",
        "[a]\n",
        "[[a]]\n",
        "k{n} = 1\n",
        "a.k{n} = 1\n",
        "[t{n}]\n",
        "[t{n}.a]\n",
        "[[t]]\na=1\n",
        "x = [",
        "]",
        "{",
        "}",
        '"',
        '"""',
        "'",
        "#",
        "\n",
        " ",
        "1_",
        "= ",
        "k{n} = {{a = 1}}\n",
        '"k{n}" = "v"\n',
        "é",
        "\\u0041",
        "1979-05-27T07:32:00Z",
    ),
    "json": (
        "[",
        "{",
        "]",
        "}",
        '"',
        ",",
        ":",
        '"k{n}": 1,',
        '{{"a":',
        "[[",
        "1",
        "-",
        "1e5",
        "\\u0041",
        "\\",
        "null",
        " ",
        "\n",
        "é",
    ),
    "markup": (
        "<svg>",
        "<g>",
        "</g>",
        "<",
        ">",
        "=",
        '"',
        "'",
        "&",
        "&lt;",
        "&#x41;",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?x ",
        "?>",
        " a{n}='x'",
        " xmlns:a{n}='u'",
        "<a:b/>",
        " ",
        "\n",
        "url(",
        "/*",
        "*/",
        "url(#a)",
        "style='",
        "<!DOCTYPE a [",
        "]>",
    ),
    "template": (
        "{",
        "}",
        "{x}",
        "{x|count}",
        "{x.y}",
        "{x.0}",
        "|",
        "{{",
        "}}",
        "{n}",
        "{k{n}}",
        "\n",
        "\\",
        "`",
        "*",
        "_",
        "[",
        "](",
        "<b>",
    ),
    "link": (
        "a",
        ".",
        "/",
        ":",
        "@",
        "%",
        "%41",
        "[",
        "]",
        "::",
        "1",
        "0x7f",
        "?",
        "#",
        "&",
        "=",
        "\uff11",
        "\u3002",
        "xn--",
        "-",
        "é",
        "ﷺ",
    ),
    "pattern": (
        "a",
        "a*",
        "(",
        ")",
        "(a|b)",
        "[a-z]",
        "\\d+",
        "a{1,9}",
        "(?=a)",
        "(?<=a)",
        "|",
        ".*",
        "^",
        "$",
        "\\b",
        "[",
        "\\p{L}",
        "(?:a?)",
        "\\1",
    ),
    "python": (
        "def f{n}(a: int) -> int: ...\n",
        "x = (",
        ")",
        "[",
        "]",
        '"""',
        "'",
        "#",
        "\n",
        "    ",
        "class C{n}: ...\n",
        "lambda: ",
        "@d\n",
        "a, ",
        "Args:\n",
        "a: b\n",
        ":param a: b\n",
        "1 + ",
        "not ",
        "if a:\n",
        "f'{",
        "}'",
        "| ",
        "list[",
    ),
}
LANGUAGES = tuple(_FRAGMENTS)


def text(recipe: Json, size: int) -> str:
    """Return a text of a recipe (`language`, `seed`): a few fragments of the language, repeated."""
    source = random.Random(recipe["seed"])
    fragments = source.choices(_FRAGMENTS[recipe["language"]], k=source.choice((1, 1, 2, 3, 5)))
    if source.random() < 0.3:  # one after the other: `[[[ … ]]]`
        share = size // len(fragments)
        return "".join(_filled(each, share) for each in fragments)
    parts: list[str] = []
    made = 0
    for number, fragment in enumerate(cycle(fragments)):
        if made >= size:
            return "".join(parts)
        parts.append(_numbered(fragment, number))
        made += len(parts[-1])
    return ""


def _filled(fragment: str, size: int) -> str:
    return "".join(_numbered(fragment, number) for number in range(_count(size, len(fragment))))


def _numbered(fragment: str, number: int) -> str:
    return fragment.replace("{n}", str(number))
