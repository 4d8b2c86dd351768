"""Values beside those of a request: what off-by-one errors and forgotten cases confuse with them."""

from __future__ import annotations

import calendar
import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date, timedelta
from typing import Any, Final

from toolgen.schema.document import value_key
from toolgen.testing.inputs.known_values import DATE, MONEY
from toolgen.testing.inputs.slots import Slot

_AMOUNTS: Final = ("0.00", "0.29", "4.35", "19.99", "1.15", "33.33", "0.07")
"""Amounts that are wrong by one cent if binary fractions of them are cut off."""
_LONGEST: Final = 20_000  # characters; longer requests say little more, and take long
_LONG: Final = (60, 250, 1_000)  # characters


def near_values(slot: Slot) -> list[Any]:
    """Return values beside a slot's: what off-by-one errors and forgotten cases confuse with it."""
    schema, value = slot.schema, slot.value
    listed = list(schema.get("enum", ())) if isinstance(schema.get("enum"), list) else []
    if schema.get("type") == "boolean" or isinstance(value, bool):
        listed += [True, False]
    # There is no value to be near to: code compares with the bounds and the default.
    if slot.is_missing:
        bounds = [schema[key] for key in ("minimum", "maximum", "default") if key in schema]
        listed += [each + step for each in bounds if _is_number(each) for step in (0, 1, -1)]
        listed += [1, 2] if schema.get("type") in ("integer", "number") else []
        return listed
    if isinstance(value, bool):
        near: list[Any] = []
    elif isinstance(value, int):
        near = [value - 1, value + 1, 0, value * 10]
    elif isinstance(value, float):
        near = [value - 0.01, value + 0.01, 0.0, *map(float, _AMOUNTS)]
    elif isinstance(value, str):
        near = [*_near_text(value), *_long_texts(value, schema)]
    elif isinstance(value, list):
        near = _near_lists(value)
    else:
        near = []
    return [each for each in [*listed, *near] if value_key(each) != value_key(value)]


def _near_text(value: str) -> Iterator[str]:
    if DATE.match(value):
        yield from _near_dates(value)
    if MONEY.fullmatch(value):
        yield from _AMOUNTS
    # The last number of a text is the one that counts up, as in `ORD-2026-0041`.
    digits = re.search(r"\d+(?=\D*$)", value)
    if digits is not None:
        for number in (int(digits[0]) - 1, int(digits[0]) + 1):
            if number >= 0:
                yield f"{value[: digits.start()]}{number:0{len(digits[0])}}{value[digits.end() :]}"
    if value.swapcase() != value:
        yield from _other_forms(value)
    yield from (
        value[:-1],
        value[1:],
        f"{value}\n",
        f"{value} {value}",
        "\n".join([value] * 25),
        f"{value}\r\n",
        f"{value}\f{value}\u2028{value}",  # `str.splitlines` divides here, files do not
        f"{value}\\n\\1",  # a group, if it is the replacement in `re.sub`
        f"{value}ß",  # two letters in upper case
        value.rstrip(),
        value.replace("\n", "\r\n"),
        f"{value}\U0001f6b2",  # two units of UTF-16
        f"\u05d0{value}",  # written from right to left
        f'{value}"',
        "%",  # matches everything in LIKE
        "a",
    )


def _other_forms(text: str) -> list[str]:
    """Return a text as other clients may write it, and with characters that mean something in SQL."""
    forms = [text.swapcase(), unicodedata.normalize("NFD", text), unicodedata.normalize("NFC", text)]
    forms += [
        f" {text} ",
        f"{text}'",
        f"{text}%",
        f"{text[:-1]}_",
        f"{text}é",  # composed,
        f"{text}e\u0301",  # and decomposed
    ]
    return [each for each in dict.fromkeys(forms) if each != text]


def _near_dates(value: str) -> Iterator[str]:
    """Yield days around a date: at the ends of months and years, and in a leap year."""
    with suppress(ValueError, OverflowError):
        day, rest = date.fromisoformat(value[:10]), value[10:]
        last = calendar.monthrange(day.year, day.month)[1]
        days = [day - timedelta(1), day + timedelta(1), day.replace(day=last), day.replace(day=1)]
        days += [day.replace(day=last) + timedelta(1), day.replace(month=1, day=31), date(2028, 2, 29)]
        days += [day.replace(month=12, day=31), day.replace(year=day.year + 1, day=1)]
        yield from (f"{each.isoformat()}{rest}" for each in days)


def _long_texts(value: str, schema: Mapping[str, Any]) -> Iterator[str]:
    longest = schema.get("maxLength")
    lengths = [*_LONG, longest] if isinstance(longest, int) and longest <= _LONGEST else [*_LONG, _LONGEST]
    for length in lengths:
        if value and length > len(value):
            times = length // (len(value) + 1) + 1
            yield (f"{value} " * times)[:length]


def _near_lists(value: list[Any]) -> list[Any]:
    if not value:
        return []
    near = [[*value, value[0]], value[:-1], value[1:], value[::-1], [], [*value, *value], value * 10]
    if isinstance(value[0], Mapping):
        for name, inner in value[0].items():
            others = near_values(Slot((name,), {}, inner))[:2] if not isinstance(inner, list | dict) else []
            near += [[*value, {**value[0], name: other}] for other in others]
    elif isinstance(value[0], str):
        near += [[*value, each] for each in (value[0].swapcase(), f"{value[0]}x")]
    return near


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
