"""The formats that the validator asserts, as patterns, with texts that are valid and texts that are not.

Where a pattern cannot say exactly what the validator accepts, there are two: `upper` matches every valid
text, `lower` only valid ones. Tests compare both with the validator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from toolgen.schema.document import Draft
from toolgen.schema.validator import compiled


@dataclass(frozen=True, slots=True)
class Format:
    """The texts of one format: patterns that bound them from above and below, and samples."""

    upper: str  # a pattern that every valid text matches
    lower: str | None  # a pattern that only valid texts match; None: none is known
    valid: tuple[str, ...]
    invalid: tuple[str, ...]


def is_asserted(name: str, draft: Draft) -> bool:
    """True if the validator checks this format in `draft`; others are annotations."""
    known = FORMATS.get(name)
    return known is not None and not matches_format(known.invalid[0], name, draft)


def matches_format(text: str, name: str, draft: Draft) -> bool:
    """True if the validator accepts `text`."""
    return bool(_validator(name, draft).is_valid(text))


@lru_cache(maxsize=64)
def _validator(name: str, draft: Draft) -> Any:
    return compiled({"$schema": draft.value, "format": name})


def _exact(pattern: str, valid: tuple[str, ...], invalid: tuple[str, ...]) -> Format:
    return Format(pattern, pattern, valid, invalid)


# Dates and times (RFC 3339)

_DAY = (
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    "|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
_LEAP_YEAR = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DATE = f"(?:[0-9]{{4}}-{_DAY}|{_LEAP_YEAR}-02-29)"
_OFFSET = "(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
_MINUTES = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_TIME = rf"{_MINUTES}:[0-5][0-9](?:\.[0-9]+)?{_OFFSET}"
_LEAP_TIME = rf"{_MINUTES}:(?:[0-5][0-9]|60)(?:\.[0-9]+)?{_OFFSET}"  # :60 is valid at 23:59 UTC only
_DURATION = (
    "(?:{n}Y(?:{n}M(?:{n}D)?)?|{n}M(?:{n}D)?|{n}D)",
    "T(?:{n}H(?:{n}M(?:{n}S)?)?|{n}M(?:{n}S)?|{n}S)",
)
_DURATION_DATE, _DURATION_TIME = (part.replace("{n}", "[0-9]+") for part in _DURATION)

# Addresses

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"

_ALPHANUMERIC = "[A-Za-z0-9]"
_ANY_LABEL = f"{_ALPHANUMERIC}(?:[A-Za-z0-9-]{{0,61}}{_ALPHANUMERIC})?"
# One hyphen at a time: two in the third and fourth place are refused, except in `xn--…`, which is decoded.
_SHORT_LABEL = f"{_ALPHANUMERIC}(?:-?{_ALPHANUMERIC}){{0,31}}"
_TINY_LABELS = rf"{_ALPHANUMERIC}{{1,9}}(?:\.{_ALPHANUMERIC}{{1,9}}){{3,9}}"
_HOSTNAMES = rf"^(?:{_SHORT_LABEL}(?:\.{_SHORT_LABEL}){{0,2}}|{_TINY_LABELS})$"
_LOCAL = r"[A-Za-z0-9_+]{1,20}(?:\.[A-Za-z0-9_+]{1,20}){0,2}"

# URIs (RFC 3986) and IRIs (RFC 3987)

_ENCODED = "%[0-9A-Fa-f]{2}"
_UNRESERVED = r"A-Za-z0-9._~-"
_DELIMITERS = "!$&'()*+,;="
_IP_LITERAL = r"\[[0-9A-Za-z:._~!$&'()*+,;=-]*\]"
_IRI_LOWER = r"\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
_IRI_UPPER = r"\u0080-\u{10ffff}"


def _uri(*, more: str, relative: bool, literals: bool) -> str:
    """Return the pattern of URIs; `more`: further characters, `literals`: hosts like `[::1]`, loosely."""
    letter = f"(?:[{_DELIMITERS}{more}{_UNRESERVED}]|{_ENCODED})"
    segment = f"(?:[:@{_DELIMITERS}{more}{_UNRESERVED}]|{_ENCODED})"
    without_colon = f"(?:[@{_DELIMITERS}{more}{_UNRESERVED}]|{_ENCODED})"
    user = f"(?:(?:[:{_DELIMITERS}{more}{_UNRESERVED}]|{_ENCODED})*@)?"
    host = f"(?:{letter}*|{_IP_LITERAL})" if literals else f"{letter}*"
    path = f"(?:/{segment}*)*"
    authority = f"//{user}{host}(?::[0-9]*)?{path}"
    absolute = f"/(?:{segment}+{path})?"
    tail = rf"(?:\?(?:{segment}|[/?])*)?(?:#(?:{segment}|[/?])*)?"
    whole = f"[A-Za-z][A-Za-z0-9+.-]*:(?:{authority}|{absolute}|{segment}+{path}|)"
    if relative:
        whole = f"(?:{whole}|{authority}|{absolute}|{without_colon}+{path}|)"
    return f"^{whole}{tail}$"


def _uri_format(*, relative: bool, international: bool) -> Format:
    valid: tuple[str, ...] = (
        "https://example.com/a?b=c#d",
        "mailto:a@example.com",
        "urn:a:b",
        "a:",
        "http://[::1]:80/",
    )
    invalid: tuple[str, ...] = ("a b", "http://a b", "%", "http://[a", "https://example.com/{a}", "\\")
    if relative:
        valid = (*valid, "", "a", "/a/b", "../a", "?a", "#a", "//example.com")
    else:
        invalid = (*invalid, "", "a", "/a/b", "#a", "//example.com")
    if international:
        valid = (*valid, "https://example.com/é", "https://é.example/")
    else:
        invalid = (*invalid, "https://example.com/é", "é")
    return Format(
        _uri(more=_IRI_UPPER if international else "", relative=relative, literals=True),
        _uri(more=_IRI_LOWER if international else "", relative=relative, literals=False),
        valid,
        invalid,
    )


# JSON Pointers (RFC 6901) and URI templates (RFC 6570)

_POINTER = "/(?:[^~]|~[01])*"
_NAME = f"(?:[A-Za-z0-9_]|{_ENCODED})+"
_VARIABLE = rf"{_NAME}(?:\.{_NAME})*(?::[1-9][0-9]{{0,3}}|\*)?"
_TEMPLATE = (
    rf"(?:[^\u0000-\u0020\"<>%\\^`{{|}}\u007f]|{_ENCODED}"
    rf"|\{{[+#./;?&=,!@|]?{_VARIABLE}(?:,{_VARIABLE})*\}})*"
)

FORMATS: Final[Mapping[str, Format]] = {
    "date": _exact(
        f"^{_DATE}$",
        ("2024-02-29", "2023-12-31", "0000-01-01", "9999-06-30"),
        ("2023-02-29", "2023-13-01", "2023-1-1", "", "20230101", "2023-04-31", "1900-02-29", "2024-01-1+"),
    ),
    "date-time": Format(
        f"^{_DATE}[Tt]{_LEAP_TIME}$",
        f"^{_DATE}[Tt]{_TIME}$",
        ("2024-01-31T12:00:00Z", "2024-01-31t23:59:59.5+02:00", "1998-12-31T23:59:60Z"),
        ("2024-01-31T12:00:00", "2024-01-31 12:00:00Z", "", "2024-01-31", "2024-01-31T24:00:00Z"),
    ),
    "time": Format(
        f"^{_LEAP_TIME}$",
        f"^{_TIME}$",
        ("12:00:00Z", "23:59:59.123-08:00", "23:59:60Z", "00:00:00z"),
        ("12:00:00", "24:00:00Z", "12:00Z", "", "12:00:60Z", "12:00:00+24:00", "00:00:0+Z"),
    ),
    "duration": _exact(
        f"^P(?:[0-9]+W|{_DURATION_DATE}(?:{_DURATION_TIME})?|{_DURATION_TIME})$",
        ("P1D", "PT1H30M", "P1Y2M3DT4H5M6S", "P2W"),
        ("P", "", "1D", "PT", "P1Y1D", "P1S", "p1d", "PT1H1S", "P1WT1H"),
    ),
    "email": Format(
        r"^[\s\S]+@[\s\S]+$",
        rf"^{_LOCAL}@{_SHORT_LABEL}(?:\.{_SHORT_LABEL}){{0,1}}$",
        ("user@example.com", "a.b+c@sub.example.org", "a@b", '"a b"@example.com', "a@[127.0.0.1]"),
        ("user", "@example.com", "user@", "", "a@b@c", "a b@example.com", "é@-a"),
    ),
    "idn-email": Format(
        r"^[\s\S]+@[\s\S]+$",
        rf"^{_LOCAL}@[a-z]{{1,20}}(?:\.[a-z]{{1,20}}){{0,3}}$",
        ("user@example.com", "é@example.com", "a@é.example"),
        ("user", "@example.com", "user@", ""),
    ),
    "hostname": Format(
        rf"^{_ANY_LABEL}(?:\.{_ANY_LABEL})*$",
        _HOSTNAMES,
        ("example.com", "localhost", "a", "a-b.c1", "xn--nxasmq6b"),
        ("", "-a", "a-", "a_b", "a..b", "a.", "é", "ab--c", "xn--a"),
    ),
    "idn-hostname": Format(
        r"^[A-Za-z0-9.\u0080-\u{10ffff}-]+$",
        _HOSTNAMES,
        ("example.com", "é.example", "localhost"),
        ("", "-a", "a b", "a..b", "ab--c"),
    ),
    "ipv4": _exact(
        f"^{_IPV4}$",
        ("192.0.2.1", "1.0.0.0", "255.255.255.255"),
        ("256.0.0.1", "1.2.3", "", "01.2.3.4", "1.2.3.4.5", "::1"),
    ),
    "ipv6": Format(
        "^[0-9A-Fa-f:.]{2,45}$",  # 45: six groups of four digits, and an IPv4 address
        "^[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){7}$",
        ("2001:db8::1", "::", "::1", "1:2:3:4:5:6:7:8", "::ffff:192.0.2.1", "1::"),
        ("1:2:3:4:5:6:7", "", ":::", "12345::", "1::2::3", "192.0.2.1", "1:2:3:4:5:6:7:8:9", "::1%a"),
    ),
    "uri": _uri_format(relative=False, international=False),
    "uri-reference": _uri_format(relative=True, international=False),
    "iri": _uri_format(relative=False, international=True),
    "iri-reference": _uri_format(relative=True, international=True),
    "uri-template": _exact(
        f"^{_TEMPLATE}$",
        ("https://example.com/{id}", "{?a,b*}", "", "/a/{b:3}", "é"),
        ("{", "}", "{}", "a b", "%", "{a", "{a:0}"),
    ),
    "uuid": _exact(
        "^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
        ("123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000"),
        ("123e4567e89b12d3a456426614174000", "", "123e4567-e89b-12d3-a456-42661417400g"),
    ),
    "json-pointer": _exact(f"^(?:{_POINTER})?$", ("", "/", "/a/0/b~1c", "/é~0"), ("a", "/~", "/~2", "#/a")),
    "relative-json-pointer": _exact(
        f"^(?:0|[1-9][0-9]*)(?:#|{_POINTER})?$",
        ("0", "1/a", "2#", "0#", "10/a~0"),
        ("", "/a", "01", "-1", "1a", "0##", "1/~"),
    ),
    "regex": Format(
        r"^[\s\S]*$",
        r"^[A-Za-z0-9 _.,:;/@%#&=~!<>'`\u0080-\u{10ffff}-]*$",
        ("", "^a+$", "[a-z]"),
        ("[", "(", "a)", "\\a"),
    ),
}

CONTAINED: Final = frozenset(
    [
        ("uri", "uri-reference"),
        ("uri", "iri"),
        ("uri", "iri-reference"),
        ("uri-reference", "iri-reference"),
        ("iri", "iri-reference"),
    ]
)
"""Pairs of formats whose second accepts what the first does, by their definitions."""
