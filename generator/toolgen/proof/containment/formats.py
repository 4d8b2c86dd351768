"""The formats that the validator asserts, as patterns, with texts that are valid and texts that are not.

Where a pattern cannot say exactly what the validator accepts, it matches all valid texts and some others.
Tests compare the patterns with the validator.
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
    """The texts of one format: a pattern, and samples."""

    pattern: str  # that every valid text matches
    is_exact: bool  # no other text does
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


def _format(name: str, pattern: str, *, is_exact: bool) -> Format:
    samples = _SAMPLES[name]
    valid, invalid, within = (tuple(samples.get(key, ())) for key in ("valid", "invalid", "within"))
    return Format(f"^{pattern}$", is_exact, valid, invalid, within)


# Dates and times (RFC 3339)

_DAY = (
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    "|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
_LEAP_YEAR = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DATE = f"(?:[0-9]{{4}}-{_DAY}|{_LEAP_YEAR}-02-29)"
_OFFSET = "(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
_MINUTES = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_TIME = rf"{_MINUTES}:(?:[0-5][0-9]|60)(?:\.[0-9]+)?{_OFFSET}"  # :60 is valid at 23:59 UTC only
_DURATION = (
    "(?:{n}Y(?:{n}M(?:{n}D)?)?|{n}M(?:{n}D)?|{n}D)",
    "T(?:{n}H(?:{n}M(?:{n}S)?)?|{n}M(?:{n}S)?|{n}S)",
)
_DURATION_DATE, _DURATION_TIME = (part.replace("{n}", "[0-9]+") for part in _DURATION)

# Addresses

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"

_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"

# URIs (RFC 3986) and IRIs (RFC 3987)

_ENCODED = "%[0-9A-Fa-f]{2}"
_SCHEME = "(?:[A-Za-z][A-Za-z0-9+.-]*:)"
_URI = r"A-Za-z0-9._~!$&'()*+,;=\-%:@/?#\[\]"
_IRI = _URI + r"\u0080-\u{10ffff}"

# JSON Pointers (RFC 6901) and URI templates (RFC 6570)

_POINTER = "/(?:[^~]|~[01])*"
_NAME = f"(?:[A-Za-z0-9_]|{_ENCODED})+"
_VARIABLE = rf"{_NAME}(?:\.{_NAME})*(?::[1-9][0-9]{{0,3}}|\*)?"
_TEMPLATE = (
    rf"(?:[^\u0000-\u0020\"<>%\\^`{{|}}\u007f]|{_ENCODED}"
    rf"|\{{[+#./;?&=,!@|]?{_VARIABLE}(?:,{_VARIABLE})*\}})*"
)

_EXACT = {
    "date": _DATE,
    "duration": f"P(?:[0-9]+W|{_DURATION_DATE}(?:{_DURATION_TIME})?|{_DURATION_TIME})",
    "ipv4": _IPV4,
    "uri-template": _TEMPLATE,
    "uuid": "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "json-pointer": f"(?:{_POINTER})?",
    "relative-json-pointer": f"(?:0|[1-9][0-9]*)(?:#|{_POINTER})?",
}
_WIDER = {
    "date-time": f"{_DATE}[Tt]{_TIME}",
    "time": _TIME,
    "email": r"[\s\S]+@[\s\S]+",
    "idn-email": r"[\s\S]+@[\s\S]+",
    "hostname": rf"{_LABEL}(?:\.{_LABEL})*",
    "idn-hostname": r"[A-Za-z0-9.\u0080-\u{10ffff}-]+",
    "ipv6": "[0-9A-Fa-f:.]{2,45}",  # 45: six groups of four digits, and an IPv4 address
    "uri": f"{_SCHEME}[{_URI}]*",
    "uri-reference": f"{_SCHEME}?[{_URI}]*",
    "iri": f"{_SCHEME}[{_IRI}]*",
    "iri-reference": f"{_SCHEME}?[{_IRI}]*",
    "regex": r"[\s\S]*",
}
FORMATS: Final[Mapping[str, Format]] = {
    name: _format(name, pattern, is_exact=name in _EXACT) for name, pattern in (_EXACT | _WIDER).items()
}
