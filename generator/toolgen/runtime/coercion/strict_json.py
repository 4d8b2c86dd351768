"""The one value that a text stands for, read as JSON: strictly, exactly, within bounds."""

from __future__ import annotations

import json
from collections.abc import Collection
from math import isinf
from typing import Any, NoReturn

from toolgen.runtime.validation.json_value import is_json

LENGTH = 1_000_000  # characters of a text that is read
DIGITS = 400  # of a whole number
TIMES = 3  # a text of a text of a text


class Unreadable(ValueError):  # noqa: N818  an answer to a question, not a fault of ours
    """The text is not JSON, or not surely one value. The words say why and hold nothing of the text."""


def read_text(text: str) -> Any:
    """The JSON value that `text` stands for; a text again only where it stands for one too often.

    Raises Unreadable for what is not JSON (RFC 8259: no NaN, no single quotes), a key that stands twice,
    a number that would be rounded to a whole one or to infinity, and what is too long or too deep.
    """
    value: Any = text
    for _ in range(TIMES):
        value = _read(value)
        if not isinstance(value, str):
            break
    if not is_json(value):
        raise Unreadable("is nested too deeply, or is not valid Unicode")
    return value


def read_as(text: str, kinds: Collection[str]) -> Any:
    """The value that `text` stands for, if it is of one of the JSON Schema types `kinds`.

    Raises Unreadable where it is none of them. 1.0 is an integer, and comes as one where one is asked for.
    """
    value = read_text(text)
    if isinstance(value, float) and value.is_integer() and "integer" in kinds and "number" not in kinds:
        value = int(value)
    if kind_of(value, kinds) not in kinds:
        raise Unreadable("is not what is expected")
    return value


def kind_of(value: Any, kinds: Collection[str]) -> str:
    """The JSON Schema type of a JSON value; of integer and number the one that is among `kinds`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if "integer" in kinds else "number"
    if isinstance(value, float):
        return "number" if "number" in kinds or not value.is_integer() else "integer"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def _read(text: str) -> Any:
    if len(text) > LENGTH:
        raise Unreadable("is too long to be read")
    try:
        return _DECODER.decode(text)
    except Unreadable:
        raise
    except json.JSONDecodeError as error:
        raise Unreadable(f"is not valid JSON at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise Unreadable("is nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise Unreadable("has a key twice in one object")
    return made


def _whole(digits: str) -> int:
    if len(digits) > DIGITS:
        raise Unreadable("has a number with too many digits")
    return int(digits)


def _fraction(digits: str) -> float:
    number = float(digits)
    if isinf(number) or (number.is_integer() and not _is_exactly(number, digits)):
        raise Unreadable("has a number that cannot be told exactly")
    return number


def _is_exactly(number: float, digits: str) -> bool:
    from decimal import Decimal

    try:
        return Decimal(digits) == Decimal(number)
    except ArithmeticError:  # an exponent beyond all bounds
        return False


def _constant(word: str) -> NoReturn:
    raise Unreadable("has a number that is none in JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_fraction, parse_constant=_constant
)
