"""Parts of an outcome that are different each time: found by calling twice, and not compared."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from getpass import getuser
from socket import gethostname
from typing import Any, Final

from toolgen.schema.document import same_value

VARIES: Final = "__varies__"
"""In a recorded outcome: a value, or a word of a text, that is different each time."""
_WORDS: Final = re.compile(r"\w+|\W")


def without_varying(first: Any, second: Any) -> Any:
    """Return an outcome in which everything is `VARIES` that two calls of the same request do not share."""
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        return {key: without_varying(value, second[key]) for key, value in first.items()}
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return [without_varying(one, other) for one, other in zip(first, second, strict=True)]
    if isinstance(first, str) and isinstance(second, str):
        return _common_text(_of_everywhere(first), _of_everywhere(second))
    return first if same_value(first, second) else VARIES


def is_same_outcome(recorded: Any, actual: Any) -> bool:
    """True if an outcome is the recorded one, but for what varies."""
    return same_value(recorded, with_marks(recorded, actual))


def with_marks(recorded: Any, actual: Any) -> Any:
    """Return an outcome with the marks of the recorded one, so that a diff does not show what varies."""
    if recorded == VARIES:
        return VARIES
    if isinstance(recorded, dict) and isinstance(actual, dict):
        return {key: with_marks(recorded.get(key), value) for key, value in actual.items()}
    if isinstance(recorded, list) and isinstance(actual, list):
        rest = [None] * (len(actual) - len(recorded))
        return [with_marks(one, other) for one, other in zip([*recorded, *rest], actual, strict=False)]
    if isinstance(recorded, str) and isinstance(actual, str) and VARIES in recorded:
        words, others = _WORDS.findall(recorded), _WORDS.findall(actual)
        has_other = any(one not in (VARIES, other) for one, other in zip(words, others, strict=False))
        return actual if has_other or len(words) != len(others) else recorded
    return recorded if same_value(recorded, actual) else actual


def _common_text(first: str, second: str) -> str:
    if first == second:
        return first
    words, others = _WORDS.findall(first), _WORDS.findall(second)
    if len(words) != len(others):
        return VARIES
    return "".join(one if one == other else VARIES for one, other in zip(words, others, strict=True))


def _of_everywhere(text: str) -> str:
    """Return a text without today's date and the names of user and machine, which two calls here share."""
    for today in {datetime.now().date(), datetime.now(UTC).date()}:
        text = text.replace(today.isoformat(), "-".join([VARIES] * 3))
    here = _names_of_here()
    return "".join(VARIES if word in here else word for word in _WORDS.findall(text))


@cache
def _names_of_here() -> frozenset[str]:
    names = {gethostname()}
    with suppress(OSError, KeyError, ImportError):  # a user without a name
        names.add(getuser())
    return frozenset(names)
