"""The formats that the validator asserts, as patterns, with texts that are valid and texts that are not.

Where a pattern cannot say exactly what the validator accepts, there are two: `upper` matches every valid
text, `lower` only valid ones. Tests compare both with the validator.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from toolgen.schema.document import Draft
from toolgen.schema.validator import compiled


@dataclass(frozen=True, slots=True)
class Format:
    """The texts of one format: patterns that bound them from above and below, and samples."""

    name: str
    upper: str  # a pattern that every valid text matches
    lower: str  # a pattern that only valid texts match
    valid: tuple[str, ...]
    invalid: tuple[str, ...]
    within: tuple[str, ...]  # formats that accept all of these texts, by their definitions


def is_asserted(name: str, draft: Draft) -> bool:
    """True if the validator checks this format in `draft`; others are annotations."""
    known = FORMATS.get(name)
    return known is not None and not matches_format(known.invalid[0], name, draft)


def matches_format(text: str, name: str, draft: Draft) -> bool:
    """True if the validator accepts `text`."""
    return bool(_validator(name, draft).is_valid(text))


@lru_cache
def _validator(name: str, draft: Draft) -> Any:
    return compiled({"$schema": draft.value, "format": name})


_SAMPLES: Final = tomllib.loads(
    files("toolgen.proof.containment").joinpath("formats.toml").read_text("utf-8")
)


def _bounded(name: str, upper: str, lower: str) -> Format:
    samples = _SAMPLES[name]
    valid, invalid, within = (tuple(samples.get(key, ())) for key in ("valid", "invalid", "within"))
    return Format(name, upper, lower, valid, invalid, within)


def _exact(name: str, pattern: str) -> Format:
    return _bounded(name, pattern, pattern)


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
_LETTERS = r"A-Za-z0-9._~!$&'()*+,;=\-"
_IRI_LOWER = r"\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
_IRI_UPPER = r"\u0080-\u{10ffff}"


def _uri(name: str, *, international: bool = False) -> Format:
    """Return the format of URIs or, for the name of a reference, of those and of relative ones."""
    is_reference = name.endswith("-reference")
    scheme = "(?:[A-Za-z][A-Za-z0-9+.-]*:)" + ("?" if is_reference else "")
    letters = _LETTERS + (_IRI_LOWER if international else "")
    # A colon might end a scheme where none is needed.
    path, rest = (f"(?:[{letters}/{more}]|{_ENCODED})*" for more in ("" if is_reference else ":@", ":@?"))
    whole = rf"//[{letters}]*(?::[0-9]*)?(?:/{path})?|/?(?:[{letters}]{path})?"
    upper = f"^{scheme}[{_LETTERS}{_IRI_UPPER if international else ''}%:@/?#\\[\\]]*$"
    return _bounded(name, upper, rf"^{scheme}(?:{whole})(?:\?{rest})?(?:#{rest})?$")


# JSON Pointers (RFC 6901) and URI templates (RFC 6570)

_POINTER = "/(?:[^~]|~[01])*"
_NAME = f"(?:[A-Za-z0-9_]|{_ENCODED})+"
_VARIABLE = rf"{_NAME}(?:\.{_NAME})*(?::[1-9][0-9]{{0,3}}|\*)?"
_TEMPLATE = (
    rf"(?:[^\u0000-\u0020\"<>%\\^`{{|}}\u007f]|{_ENCODED}"
    rf"|\{{[+#./;?&=,!@|]?{_VARIABLE}(?:,{_VARIABLE})*\}})*"
)

_EMAIL = r"^[\s\S]+@[\s\S]+$"

FORMATS: Final[Mapping[str, Format]] = {
    each.name: each
    for each in (
        _exact("date", f"^{_DATE}$"),
        _bounded("date-time", f"^{_DATE}[Tt]{_LEAP_TIME}$", f"^{_DATE}[Tt]{_TIME}$"),
        _bounded("time", f"^{_LEAP_TIME}$", f"^{_TIME}$"),
        _exact("duration", f"^P(?:[0-9]+W|{_DURATION_DATE}(?:{_DURATION_TIME})?|{_DURATION_TIME})$"),
        _bounded("email", _EMAIL, rf"^{_LOCAL}@{_SHORT_LABEL}(?:\.{_SHORT_LABEL}){{0,1}}$"),
        _bounded("idn-email", _EMAIL, rf"^{_LOCAL}@[a-z]{{1,20}}(?:\.[a-z]{{1,20}}){{0,3}}$"),
        _bounded("hostname", rf"^{_ANY_LABEL}(?:\.{_ANY_LABEL})*$", _HOSTNAMES),
        _bounded("idn-hostname", r"^[A-Za-z0-9.\u0080-\u{10ffff}-]+$", _HOSTNAMES),
        _exact("ipv4", f"^{_IPV4}$"),
        # 45: six groups of four digits, and an IPv4 address
        _bounded("ipv6", "^[0-9A-Fa-f:.]{2,45}$", "^[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){7}$"),
        _uri("uri"),
        _uri("uri-reference"),
        _uri("iri", international=True),
        _uri("iri-reference", international=True),
        _exact("uri-template", f"^{_TEMPLATE}$"),
        _exact("uuid", "^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"),
        _exact("json-pointer", f"^(?:{_POINTER})?$"),
        _exact("relative-json-pointer", f"^(?:0|[1-9][0-9]*)(?:#|{_POINTER})?$"),
        _bounded("regex", r"^[\s\S]*$", r"^[A-Za-z0-9 _.,:;/@%#&=~!<>'`\u0080-\u{10ffff}-]*$"),
    )
}
