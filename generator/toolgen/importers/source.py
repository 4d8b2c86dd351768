"""The text of a source as JSON values, one or one a line; anything doubtful is refused with its place."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolgen.importers.tool import SourceError
from toolgen.schema.budget import BUDGET
from toolgen.suggestions import quoted

MAX_BYTES = BUDGET.import_bytes
MAX_DEPTH = 150  # generated code nests as deep as the schema, and Python reads 200 brackets in one expression
MAX_TEXT = 1_000_000  # characters of one text: no model reads more
MAX_DIGITS = 640  # of an integer, as in specs

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Document:
    """One JSON value of a source, and where it begins."""

    value: Any
    line: int  # from 1; 0 where the source is one document


class BadJsonError(ValueError):
    """JSON that Python's reader would take, and nobody can mean."""


def read_source(data: bytes, name: str) -> list[Document]:
    """The JSON documents in `data`, which messages call `name`. Raises `SourceError`."""
    if len(data) > MAX_BYTES:
        raise SourceError(
            f"{name} has more than {MAX_BYTES // 1024 // 1024} MB", "import a part of it", "too-complex"
        )
    text = decode(data, name)
    if not text.strip():
        raise SourceError(f"{name} is empty", "give a tools/list result, a list of tools, or one tool a line")
    try:
        documents = [Document(load_json(text), 0)]
    except json.JSONDecodeError as error:
        first = text.lstrip().split("\n", 1)
        if len(first) < 2 or not _is_json(first[0]):
            where = f"{name}:{error.lineno}:{error.colno}"
            raise SourceError(f"{where}: not JSON: {error.msg.lower()}", _hint(text, error)) from None
        documents = list(_lines(text, name))
    except BadJsonError as error:
        raise SourceError(f"{name}: {error}", "mend the source") from None
    except RecursionError:
        raise SourceError(f"{name}: {_DEEP}", "no client could read such a tool") from None
    for document in documents:
        check_values(document.value, name if not document.line else f"{name}:{document.line}")
    return documents


def decode(data: bytes, name: str) -> str:
    """`data` as text. Raises `SourceError` with the line of the first byte that is none."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(
            f"{name}:{line}: the byte 0x{data[error.start]:02x} is not UTF-8", "save it as UTF-8"
        ) from None


def _lines(text: str, name: str) -> Iterator[Document]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield Document(load_json(line), number)
        except json.JSONDecodeError as error:
            message = f"{name}:{number}:{error.colno}: not JSON: {error.msg.lower()}"
            raise SourceError(message, "JSONL has one whole JSON value a line") from None
        except BadJsonError as fault:
            raise SourceError(f"{name}:{number}: {fault}", "mend the source") from None
        except RecursionError:
            raise SourceError(f"{name}:{number}: {_DEEP}", "no client could read such a tool") from None


_DEEP = f"objects and lists more than {MAX_DEPTH} deep inside one another"


def load_json(text: str) -> Any:
    """One JSON value. Raises `json.JSONDecodeError`, `BadJsonError` or `RecursionError`."""
    return json.loads(
        text,
        object_pairs_hook=_unique,
        parse_constant=_no_constant,
        parse_float=_finite,
        parse_int=_integer,
    )


def _is_json(text: str) -> bool:
    try:
        load_json(text)
    except json.JSONDecodeError:
        return False
    except (BadJsonError, RecursionError):
        return True
    return True


def _hint(text: str, error: json.JSONDecodeError) -> str:
    if error.pos >= len(text.rstrip()) - 1:
        return "it ends in the middle of a value: is it whole?"
    return "give a tools/list result, a list of tools, or one tool a line"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise BadJsonError(f"the key {quoted(twice)} stands twice in one object: one would be lost")
    return data


def _no_constant(name: str) -> float:
    raise BadJsonError(f"{name} is no number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise BadJsonError(f"{quoted(text, 40)} is beyond what a JSON number can say")
    return value


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise BadJsonError(f"an integer of {len(text):,} digits")
    return int(text)


def check_values(value: Any, where: str) -> None:
    """Depth and texts, level by level: the value may be deeper than Python likes to recurse."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for item in level:
            if isinstance(item, str):
                _check_text(item, where)
            elif isinstance(item, dict):
                for key in item:
                    _check_text(key, where)
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        if not inner:
            return
        level = inner
    raise SourceError(f"{where}: {_DEEP}", "no client could read such a tool")


def _check_text(text: str, where: str) -> None:
    if len(text) > MAX_TEXT:
        raise SourceError(
            f"{where}: a text of {len(text):,} characters, beginning {quoted(text, 40)}",
            f"at most {MAX_TEXT:,} are taken: no model would read it",
        )
    if not text.isascii() and _SURROGATE.search(text):
        raise SourceError(
            f"{where}: half of a surrogate pair in {quoted(text)}", "it is no character; mend the source"
        )
