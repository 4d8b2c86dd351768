"""Resolve scalars by the core schema of YAML 1.2: `no`, `on`, `12:30`, `1_000` and dates are text.

See section 10.3 of the YAML 1.2.2 specification.
"""

from __future__ import annotations

import math
import re
import sys
from typing import Any

from toolgen.base.suggestions import shortened

STRING = "tag:yaml.org,2002:str"
# of an integer: the lowest limit that Python can be set to, so that all accept the same
MAX_DIGITS = sys.int_info.str_digits_check_threshold

PLAIN_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}

NUMERIC = frozenset("0123456789+-.")  # first characters of numbers

# The regular expressions of the table in section 10.3.2.
_INT = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


class ScalarError(Exception):
    """A scalar that JSON cannot represent."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        self.code, self.message, self.hint = code, message, hint
        super().__init__(message)


def resolve_plain(text: str) -> Any:
    """Return the value of a plain scalar. Raises `ScalarError` for a number that JSON cannot carry."""
    if text in PLAIN_WORDS:
        return PLAIN_WORDS[text]
    if _INT.fullmatch(text):
        return _integer(text, 10)
    if _FLOAT.fullmatch(text):
        return _finite(text)
    if _OCTAL.fullmatch(text):
        return _integer(text[2:], 8)
    if _HEX.fullmatch(text):
        return _integer(text[2:], 16)
    if _NOT_FINITE.fullmatch(text):
        raise ScalarError(
            "not-a-json-number", f"JSON has no number {text}", f'quote it if text is meant: "{text}"'
        )
    return text


def _integer(digits: str, base: int) -> int:
    if len(digits) > MAX_DIGITS:
        raise ScalarError(
            "not-a-json-number",
            f"an integer of {len(digits):,} digits; at most {MAX_DIGITS} are read",
            "quote it if text is meant",
        )
    return int(digits, base)


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ScalarError(
            "not-a-json-number",
            f"{shortened(text)} is beyond what a JSON number can say (about 1.8e308)",
            "leave the bound out, or write a number within it",
        )
    return value
