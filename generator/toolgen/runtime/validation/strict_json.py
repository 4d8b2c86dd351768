"""Parse JSON strictly by RFC 8259, without rounding, and within limits."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from math import isinf
from typing import Any, Final, NoReturn

from toolgen.schema.document import is_type

from .json_value import is_json

MAX_CHARACTERS = 1_000_000  # of a string
MAX_DIGITS = 400  # of an integer
MAX_NESTED_STRINGS = 3  # a JSON string that contains JSON, and so on

# a string ends with its line at the latest: in a stream, not every line is JSON
_STRING: Final = rb'"[^"\\\r\n]*+(?:\\[^\r\n]?+[^"\\\r\n]*+)*+["\r\n]?+'
_BRACKETS: Final = re.compile(rb"([\[{]++)|([\]}]++)|" + _STRING)
# each value of an array, and each member of an object, stands behind one of these
_UP_TO_VALUE: Final = re.compile(rb'(?:[^"\[{,]++|' + _STRING + rb")*+([\[{,])?")


class NotStrictJsonError(ValueError):
    """A string is not JSON, or is ambiguous. The message has the reason and no part of the string."""


def parse_strict_json(text: str) -> Any:
    """Return the JSON value in `text`. If it is a string, it is parsed again, at most three times.

    Raises NotStrictJsonError for anything but RFC 8259 (no NaN, no single quotes), a duplicate key, a number
    that would be rounded to an integer or to infinity, and text that is too long or nested too deeply.
    """
    value: Any = text
    for _ in range(MAX_NESTED_STRINGS):
        value = _decode(value)
        if not isinstance(value, str):
            break
    if not is_json(value):
        raise NotStrictJsonError("is nested too deeply, or is not valid Unicode")
    return value


def parse_members(text: bytes) -> dict[str, Any]:
    """Return the members of the JSON object in `text`, with None in place of objects and arrays.

    These may be nested too deeply, or contain text and numbers that cannot be represented. Members that are
    strings may have lone surrogates. Raises NotStrictJsonError if `text` is not an object, or is ambiguous.
    """
    kept: list[bytes] = []  # the text of the object, without that of its members
    start = depth = 0
    for found in _BRACKETS.finditer(text):
        above = depth
        if found[1]:
            depth += len(found[1])
            if above < 2 <= depth:
                kept += (text[start : found.start() + 1 - above], b"null")
        elif found[2]:
            depth -= len(found[2])
            if depth < 2 <= above:
                start = found.start() + above - 1
    value = _decode(b"".join((*kept, text[start:])).decode(errors="surrogateescape"))
    if not isinstance(value, dict):
        raise NotStrictJsonError("is not an object")
    return value


def has_more_values(text: bytes, most: int) -> bool:
    """True if JSON has more than `most` values: objects, arrays, and what is behind the commas in them.

    To build, check and collect these takes far longer than to read the bytes, and fifty times the memory.
    Characters in strings do not count.
    """
    if sum(text.count(mark) for mark in b"[{,") <= most:
        return False
    # in UTF-16, which has zeros, the byte of a quote may be a part of another character
    if b"\0" in text:
        return True
    position = 0
    for _ in range(most + 1):
        found = _UP_TO_VALUE.match(text, position)
        if found is None or not found[1]:
            return False
        position = found.end()
    return True


def parse_as(text: str, types: Collection[str]) -> Any:
    """Return the JSON value in `text` if it is of one of the JSON Schema `types`.

    Raises NotStrictJsonError otherwise. 1.0 is an integer, and is returned as one if only that is accepted.
    """
    value = parse_strict_json(text)
    if isinstance(value, float) and value.is_integer() and "integer" in types and "number" not in types:
        value = int(value)
    if not any(is_type(value, each) for each in types):
        raise NotStrictJsonError("is not what is expected")
    return value


def _decode(text: str) -> Any:
    if len(text) > MAX_CHARACTERS:
        raise NotStrictJsonError("is too long to be read")
    try:
        return _DECODER.decode(text)
    except NotStrictJsonError:
        raise
    except json.JSONDecodeError as error:
        raise NotStrictJsonError(f"is not valid JSON at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise NotStrictJsonError("is nested too deeply") from None


def object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object for `json`. Raises NotStrictJsonError for a duplicate key."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise NotStrictJsonError("has a key twice in one object")
    return members


def parse_integer(digits: str) -> int:
    """Return an integer for `json`. Raises NotStrictJsonError for one of more than `MAX_DIGITS`."""
    if len(digits) > MAX_DIGITS:
        raise NotStrictJsonError("has a number with too many digits")
    return int(digits)


def _parse_fraction(digits: str) -> float:
    number = float(digits)
    # 9007199254740993.0 would silently become another number
    if isinf(number) or (number.is_integer() and not _is_exactly(number, digits)):
        raise NotStrictJsonError("has a number that cannot be represented exactly")
    return number


def _is_exactly(number: float, digits: str) -> bool:
    from decimal import Decimal  # for integers that are written as `1.0` only

    try:
        return Decimal(digits) == Decimal(number)
    except ArithmeticError:  # the exponent is too large
        return False


def _refuse_constant(word: str) -> NoReturn:
    raise NotStrictJsonError("has a number that JSON does not have")


_DECODER = json.JSONDecoder(
    object_pairs_hook=object_without_duplicates,
    parse_int=parse_integer,
    parse_float=_parse_fraction,
    parse_constant=_refuse_constant,
)
