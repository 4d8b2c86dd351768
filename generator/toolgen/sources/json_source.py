"""Parse JSON and JSONL sources strictly: ambiguous or oversized input is refused with its position."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from yaml import YAMLError

from toolgen.base import MIB
from toolgen.base.suggestions import quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.reading.read import find_marks
from toolgen.language.source import Marks, Source
from toolgen.language.yaml12.reader import DocumentError, YamlReader
from toolgen.language.yaml12.scalars import MAX_DIGITS
from toolgen.runtime.definition.check import is_valid_field
from toolgen.runtime.response import ERRORS_KEY
from toolgen.schema.budget import BUDGET
from toolgen.schema.document import JsonPath, format_pointer
from toolgen.sources.imported_tool import SourceError

MAX_BYTES = BUDGET.import_bytes
MAX_NAME = 256  # characters of the name of a tool
MAX_DEPTH = (
    150  # generated code nests as deep as the schema, and Python accepts 200 brackets in one expression
)

MAX_LOCATED = 1_000_000
"""Commas and lines of a text, up to which messages name lines: finding that many values takes 4 s."""

_EXPECTED = "give a tools/list result, a list of tools, or one tool per line"


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """One JSON value of a source and its first line."""

    value: Any
    line: int  # from 1; 0 if the source is a single document
    source: Source | None = None  # that knows lines: a single document in a file

    def place(self, name: str, path: JsonPath = ()) -> str:
        """Return where the document, or a part of it, is in the source `name`, for messages."""
        if path and self.source is not None:
            return place_in(self.source, path)
        document = f"{name}:{self.line}" if self.line else name
        return f"{document} (#{format_pointer(path)})" if path else document


class _AmbiguousJsonError(ValueError):
    """JSON that Python's parser accepts and that readers disagree about."""


def read_json_documents(data: bytes, name: str, *, is_file: bool = False) -> list[JsonDocument]:
    """Return the JSON documents in `data`; messages call the source `name`, and name lines of a file.

    Raises:
        SourceError: `data` is too large, not UTF-8, not JSON or JSONL, or ambiguous.
    """
    text = decode_utf8(data, name)
    if not text.strip():
        raise SourceError(f"{name} is empty", _EXPECTED)
    try:
        value = load_json(text, name)
        documents = [JsonDocument(value, 0, located_source(name, text, value) if is_file else None)]
    except json.JSONDecodeError as error:
        first_line, newline, _ = text.lstrip().partition("\n")
        # a value may end where its line does: JSONL, or an object that is written in several lines
        if not newline or error.pos < len(text) - len(text.lstrip()) + len(first_line):
            raise not_json(text, error, name, _EXPECTED) from None
        documents = list(_read_lines(text, name))
    for document in documents:
        check_value_limits(document.value, document.place(name))
    return documents


def located_source(name: str, text: str, value: Any) -> Source:
    """Return the `value` of `text`; the lines of its parts are found when a message first shows one."""
    return Source(name, text, value, partial(_marks, name, text))


def _marks(name: str, text: str) -> Marks:
    is_large = text.count(",") + text.count("\n") > MAX_LOCATED
    return Marks({}, {}) if is_large else find_marks(name, text)


def place_in(source: Source, path: JsonPath) -> str:
    """Return a place as messages show it: `api.yaml:9:5 (#/paths/~1a)`; without a line in a large source."""
    span = source.nearest_key(path)
    line = f":{span.line}:{span.column}" if source.marks.values else ""
    return f"{source.file}{line}" + (f" (#{format_pointer(path)})" if path else "")


def declared_errors(meta: Any) -> list[dict[str, Any]] | None:
    """Return the errors that the `_meta` of a listed tool declares; None if a spec cannot declare them."""
    found = meta.get(ERRORS_KEY) if isinstance(meta, dict) else None
    if not found or not is_valid_field("errors", found):
        return None
    return found if len({each["code"] for each in found}) == len(found) else None


@contextmanager
def errors_at(place: Callable[..., str], *args: Any) -> Iterator[None]:
    """Begin the message of a `SourceError` with `place(*args)`, which is called for an error only."""
    try:
        yield
    except SourceError as error:
        raise SourceError(f"{place(*args)}: {error.message}", error.hint, error.code) from error


def decode_utf8(data: bytes, name: str) -> str:
    """Return `data` as text. Raises `SourceError` if it is too large, with the line of an invalid byte."""
    if len(data) > MAX_BYTES:
        raise SourceError(f"{name} has more than {MAX_BYTES // MIB} MB", "import a part of it", "too-complex")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(
            f"{name}:{line}: the byte 0x{data[error.start]:02x} is not UTF-8", "save it as UTF-8"
        ) from None


def load_json(text: str, name: str, line: int = 0) -> Any:
    """Return one JSON value: the one at `line` of the source `name`, or all of it.

    Raises `json.JSONDecodeError`; `SourceError` for what readers disagree about.
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=_without_duplicate_keys,
            parse_constant=_refuse_constant,
            parse_float=_finite_float,
            parse_int=_bounded_int,
        )
    except _AmbiguousJsonError as error:
        place = f"{name}:{line}" if line else name
        known = None if line else _fault_of_yaml(text, name)
        raise known or SourceError(f"{place}: {error}", "fix the source") from None
    except RecursionError:
        raise _too_deep(f"{name}:{line}" if line else name) from None


def _fault_of_yaml(text: str, name: str) -> SourceError | None:
    """Return what the YAML reader refuses in JSON, too: it knows the line of a key that is written twice."""
    reader = YamlReader(name, text)
    with suppress(DocumentError, YAMLError):
        reader.read()
    return to_source_error(reader.faults[0]) if reader.faults else None


def to_source_error(fault: Diagnostic) -> SourceError:
    """Return the error for what cannot be read, with its place."""
    span = fault.span
    return SourceError(f"{span.file}:{span.line}:{span.column}: {fault.message}", fault.hint)


def not_json(text: str, error: json.JSONDecodeError, name: str, hint: str) -> SourceError:
    """Return the error for `text` that is not JSON; `hint` is given unless the text is cut off."""
    truncated = error.pos >= len(text.rstrip()) - 1
    where = f"{name}:{error.lineno}:{error.colno}"
    hint = "the text ends inside a value; is the file complete?" if truncated else hint
    return SourceError(f"{where}: not JSON: {error.msg.lower()}", hint)


def _too_deep(where: str) -> SourceError:
    """Return the error for a value that is nested too deep."""
    message = f"{where}: objects and arrays are nested more than {MAX_DEPTH} deep"
    return SourceError(message, "clients cannot read such a tool; flatten it")


def check_value_limits(value: Any, where: str) -> None:
    """Raise `SourceError` if `value` is nested too deep, or holds a text that is not Unicode."""
    level = [value]  # one level of nesting at a time: the value may be deeper than Python's recursion limit
    for _ in range(MAX_DEPTH + 1):
        lists = (list(each.values()) if isinstance(each, dict) else each for each in level)
        level = [child for each in lists if isinstance(each, list) for child in each]
    if level:
        raise _too_deep(where)
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        message = f"{where}: a lone surrogate, U+{ord(error.object[error.start]):04X}"
        raise SourceError(message, "it is not a character; fix the source") from None


def check_list(value: Mapping[str, Any], where: str) -> None:
    """Raise `SourceError` if an answer of a server is an error, or one page of several."""
    if "error" in value and "tools" not in value:
        raise SourceError(f"{where}: the server answered with an error: {json.dumps(value['error'])[:200]}")
    if value.get("nextCursor"):
        raise SourceError(
            f"{where}: the list is incomplete: its `nextCursor` refers to another page",
            "give all pages in one file, each without its `nextCursor`",
        )


def check_definition(value: Any, noun: str, schemas: Sequence[str], hint: str) -> None:
    """Raise `SourceError` unless `value` has a name that can be shown, and objects as its `schemas`."""
    if not isinstance(value, dict):
        raise SourceError(f"expected a {noun}, found {quoted(json.dumps(value))}", hint)
    name = value.get("name")
    if not isinstance(name, str) or not name:
        raise SourceError(f"a {noun} without a name: {quoted(json.dumps(value))}", hint)
    if len(name) > MAX_NAME or not name.isprintable():
        message = f"{quoted(name)} cannot be the name of a {noun}"
        raise SourceError(message, "use printable characters, at most 256 of them")
    for key in schemas:
        if not isinstance(value.get(key, {}), dict | None):
            raise SourceError(f"`{key}` of {quoted(name)} must be an object", hint)
    if not isinstance(value.get("description", ""), str | None):
        raise SourceError(f"the description of {quoted(name)} must be a string")


def _read_lines(text: str, name: str) -> Iterator[JsonDocument]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield JsonDocument(load_json(line, name, number), number)
        except json.JSONDecodeError as error:
            message = f"{name}:{number}:{error.colno}: not JSON: {error.msg.lower()}"
            raise SourceError(message, "JSONL has one complete JSON value per line") from None


def _without_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        ((duplicate, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise _AmbiguousJsonError(f"duplicate key {quoted(duplicate)} in one object; remove one of them")
    return data


def _refuse_constant(name: str) -> float:
    raise _AmbiguousJsonError(f"{name} is not a JSON number")


def _finite_float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _AmbiguousJsonError(f"the number {quoted(text)} is out of range")
    return value


def _bounded_int(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _AmbiguousJsonError(f"an integer of {len(text):,} digits; at most {MAX_DIGITS} are read")
    return int(text)
