"""Print data as Python literals, docstrings and comments, which no text can break out of; and imports.

The escaped characters are a fixed list: those of `str.isprintable` depend on the version of Python.
"""

from __future__ import annotations

import io
import math
import re
import textwrap
import tokenize
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

_UNPRINTABLE = (
    "[\x00-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f"
    "\u3000\ud800-\udfff\ue000-\uf8ff\ufeff\ufff0-\uffff\U000e0000-\U0010ffff]"
)
_FIRST_LINES = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n)?([^\r\n]*)")
_WIDTH = 88  # columns, as ruff lays out generated code
_QUOTES = '"""'
_LONG = _WIDTH  # characters from which on a string with line breaks is printed line by line
_ARGUMENT = 64  # characters of a description that fit behind `description=` in a field of a class
_PART = 72  # characters of each of several strings in its place


class Subscript(NamedTuple):
    """An item of a dict among JSON data: `SCHEMAS["Sku"]`."""

    name: str  # of the dict
    key: str


def literal(value: Any) -> str:
    """Return the Python expression for JSON data, unformatted. Raises `TypeError` for anything else."""
    match value:
        case str():
            return _string(value)
        case None | True | False:
            return repr(value)
        case int():
            return repr(int(value))
        case float() if math.isfinite(value):
            return repr(value).replace("e+", "e")
        case dict():
            return "{" + ", ".join(f"{literal(key)}: {_entry(item)}" for key, item in value.items()) + "}"
        case Subscript(name, key):
            return f"{name}[{literal(key)}]"
        case list() | tuple():
            return "[" + ", ".join(map(_entry, value)) + "]"
    raise TypeError(f"{type(value).__name__} is not JSON data")


def wrapped(text: str) -> str:
    """Return `text` as an argument of a field: in several strings, between words, if it is long."""
    line = _string(text)
    if len(line) < _ARGUMENT:
        return line
    lines = [""]
    # the formatter would join strings that fit on a line
    for word in re.findall(r"\S+\s*|\s+", text) if len(line) > _PART else [text]:
        if lines[-1].endswith("\n") or (lines[-1] and len(_string(lines[-1] + word)) > _PART):
            lines.append("")
        lines[-1] += word
    return f"({' '.join(map(_string, lines))})"


def docstring(text: str, indent: int = 4) -> str:
    """Return a docstring, quotes included, with wrapped lines, all but the first indented by `indent`."""
    margin = " " * indent
    text = text.replace("\r\n", "\n").strip()
    text, last = (text[:-1], '\\"') if text.endswith('"') else (text, "")
    room = _WIDTH - indent
    lines: list[str] = []
    for line in text.split("\n"):
        safe = escape_unprintable(line.rstrip().replace("\\", "\\\\")).replace('"""', '\\"\\"\\"')
        opening = 0 if lines else len(_QUOTES)
        lines += _wrap(safe, room, opening) if len(safe) > room - 2 * opening else [safe]
    lines = [lines[0], *textwrap.dedent("\n".join(lines[1:])).split("\n")] if len(lines) > 1 else lines
    lines[-1] += last
    if len(lines) == 1 and len(lines[0]) + indent + 2 * len(_QUOTES) <= _WIDTH:
        return f'"""{lines[0]}"""'
    body = "\n".join(f"{margin}{line}" if line else "" for line in lines)
    return f'"""{body[indent:]}\n{margin}"""'


def comment(text: str) -> str:
    """Return `text` for a comment: on one line, without a `#` that tools could take for a comment of theirs.

    Not for the first two lines of a file, where a comment can name the encoding (PEP 263).
    """
    return escape_unprintable(text).replace("#", "\\x23")


def is_read_as_utf_8(text: str) -> bool:
    """True if Python reads `text` as UTF-8: no byte order mark, no other encoding named (PEP 263)."""
    start = "\n".join(found.groups()) if (found := _FIRST_LINES.match(text)) else ""
    if "coding" not in start and start[:1] != "\ufeff":
        return True
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(start.encode("utf-8", "replace")).readline)
    except (SyntaxError, LookupError):  # not an encoding, or none of texts, which Python 3.14 tells apart
        return False
    return encoding == "utf-8"


def _entry(value: Any) -> str:
    """Return a literal inside a list or dict: one string for each line of a long text with line breaks."""
    if isinstance(value, str) and len(value) > _LONG and "\n" in value[:-1]:
        lines = re.findall(r"[^\n]*\n|[^\n]+", value)
        return "(" + "\n".join(map(_string, lines)) + ")"
    return literal(value)


@lru_cache(maxsize=4096)  # keywords of schemas, and what several providers are told of one tool
def _string(text: str) -> str:
    quote = "'" if text.count('"') > text.count("'") else '"'  # the formatter's choice
    return quote + escape_unprintable(text.replace("\\", "\\\\").replace(quote, "\\" + quote)) + quote


def escape_unprintable(text: str) -> str:
    """Return `text` with escapes for characters that do not print, such as marks of direction."""
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_UNPRINTABLE, _code_point, text)


def _code_point(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape").decode()


def _wrap(line: str, width: int, opening: int) -> list[str]:
    margin = line[: len(line) - len(line.lstrip(" "))]
    if len(line) > width - opening:
        wrapped = _wrapper(width, " " * opening, margin).wrap(line)
        return [wrapped[0][opening:], *wrapped[1:]] if wrapped else [""]
    return _wrapper(width - 2 * opening).wrap(line)


@lru_cache
def _wrapper(width: int, first: str = "", margin: str = "") -> textwrap.TextWrapper:
    return textwrap.TextWrapper(
        width,
        initial_indent=first,
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )


# Imports and lists of exported names; ruff sorts them


def import_from(module: str, names: Iterable[str]) -> str:
    """Return `from module import names`, on one line."""
    return f"from {module} import {', '.join(sorted(names))}"


def import_as(module: str, name: str, used: str) -> str:
    """Return the import of a name of a module that is called `used` where it is imported."""
    return f"from {module} import {name}" + ("" if name == used else f" as {used}")


def all_statement(names: Iterable[str]) -> str:
    """Return `__all__ = [names]`, on one line."""
    quoted = (f'"{name}"' for name in sorted(names))
    return f"__all__ = [{', '.join(quoted)}]"
