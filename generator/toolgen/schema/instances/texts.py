"""Random strings: of a format, of a regular expression, of a length."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from random import Random
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from re import _constants as c  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]

FORMATS: Mapping[str, tuple[str, ...]] = {
    "date": ("2026-02-28", "2024-02-29", "0001-01-01"),
    "date-time": ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456789+05:30", "2026-01-02t03:04:05z"),
    "time": ("03:04:05Z", "23:59:59.5-08:00"),
    "duration": ("P1DT2H", "PT0.5S", "P3W"),
    "email": ("Joe.Bloggs@Example.COM", "a+b@c.example", '"a b"@example.com'),
    "idn-email": ("실례@실례.테스트",),
    "hostname": ("www.example.com", "a"),
    "idn-hostname": ("실례.테스트",),
    "ipv4": ("192.0.2.1",),
    "ipv6": ("::1", "2001:DB8::ff00:42:8329", "::ffff:192.0.2.1"),
    "uri": ("https://Example.com", "http://example.com/%7Efoo?a=b#c", "urn:isbn:0451450523", "mailto:A@b.c"),
    "uri-reference": ("/abc?d", "#x", "../a", ""),
    "iri": ("http://ƒøø.ßår/?∂éœ=πîx#πîüx",),
    "iri-reference": ("/ƒøø",),
    "uuid": ("2EB8AA08-AA98-11EA-B4AA-73B441D16380", "2eb8aa08-aa98-11ea-b4aa-73b441d16380"),
    "uri-template": ("http://example.com/{term:1}/{?q*}",),
    "json-pointer": ("/foo/bar~0/baz~1/%a", ""),
    "relative-json-pointer": ("1/a", "0#"),
    "regex": ("^[a-z]+$", "(?<n>x)"),
}
_LETTERS = "abcXYZ019 _-.é😀\u0301/\\\"'"


def text(random: Random, least: int, most: int) -> str:
    """Return a text of `least` to `most` characters, rarely more than a dozen above the least."""
    length = random.randint(least, max(least, min(most, least + 12)))
    return "".join(random.choice(_LETTERS) for _ in range(length))


def like(pattern: str, random: Random) -> str:
    """Return a string that should match `pattern`; any string if that is hard to tell."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = "".join(_one(part, random) for part in parser.parse(pattern))
    except (re.error, OverflowError, RecursionError):
        return text(random, 0, 8)
    return made


def _one(part: tuple[Any, Any], random: Random) -> str:
    kind, of = part
    if kind is c.LITERAL:
        return chr(of)
    if kind is c.NOT_LITERAL:
        return "b" if of == ord("a") else "a"
    if kind is c.ANY:
        return random.choice("aZ0 é")
    if kind is c.IN:
        return _member(of, random)
    if kind is c.BRANCH:
        return "".join(_one(each, random) for each in random.choice(of[1]))
    if kind is c.SUBPATTERN:
        return "".join(_one(each, random) for each in of[-1])
    if kind in (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT):
        least, most, inner = of
        times = random.randint(least, min(int(most), least + 3))
        return "".join(_one(each, random) for _ in range(times) for each in inner)
    return ""  # anchors and look-arounds


def _member(options: list[tuple[Any, Any]], random: Random) -> str:
    if options[0][0] is c.NEGATE:
        taken = options[1:]
        return next((char for char in "aZ0 _-.é😀/" if not any(_has(each, char) for each in taken)), "~")
    kind, of = random.choice(options)
    if kind is c.RANGE:
        return chr(random.randint(of[0], min(of[1], of[0] + 25)))
    if kind is c.CATEGORY:
        return random.choice(
            {"CATEGORY_DIGIT": "0189", "CATEGORY_SPACE": " \t", "CATEGORY_WORD": "aZ_0"}.get(str(of), "~-")
        )
    return chr(of)


def _has(option: tuple[Any, Any], char: str) -> bool:
    kind, of = option
    if kind is c.LITERAL:
        return bool(ord(char) == of)
    if kind is c.RANGE:
        return bool(of[0] <= ord(char) <= of[1])
    return {"CATEGORY_DIGIT": char.isdigit(), "CATEGORY_SPACE": char.isspace()}.get(
        str(of), char.isalnum() or char == "_"
    )
