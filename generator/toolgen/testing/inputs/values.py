"""Values for requests that meet the data: known from examples and answers, or beside a value.

Values are known by the names of their properties and by their kinds, so that a date from one tool's answer
goes into another tool's filter.
"""

from __future__ import annotations

import calendar
import copy
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import islice
from typing import Any, Final

from toolgen.schema.document import JsonObject, JsonPath, Schema, resolve_reference, value_key
from toolgen.testing.tool_under_test import ToolUnderTest

_MAX_KNOWN: Final = 120  # values of one name or kind
_MAX_RARE: Final = 4  # texts of one sort that few requests have
_ABSENT: Final = "zzz"  # a word that no text has
_MAX_TEXT: Final = 200  # characters of a known value
_MAX_DEPTH: Final = 8  # of slots in a request
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_MONEY: Final = re.compile(r"-?\d+\.\d\d")
_AMOUNTS: Final = ("0.00", "0.29", "4.35", "19.99", "1.15", "33.33", "0.07")
"""Amounts that are wrong by one cent if binary fractions of them are cut off."""
_QUERY: Final = re.compile(r"\s*select\s.*\sfrom\s", re.IGNORECASE | re.DOTALL)
_PATH: Final = re.compile(r"(?:[\w.-]+/)*[\w-]+\.\w{1,5}|(?:[\w.-]+/)+")
_UNUSUAL: Final[tuple[Callable[[str], bool], ...]] = (
    lambda text: "\r\n" in text,
    lambda text: re.search("[\v\f\x1c-\x1e\x85\u2028\u2029]|\r(?!\n)", text) is not None,
    lambda text: text.casefold() != text.lower(),  # ß, ligatures
    lambda text: bool(text) and not text.endswith("\n"),
    lambda text: not text,
)
_MAX_LONGEST: Final = 4  # one more than the longest texts that are unusual
_MAX_WORD: Final = 20  # characters of a word of an unusual text
_LONGEST: Final = 20_000  # characters; longer requests say little more, and take long
_LONG: Final = (60, 250, 1_000)  # characters


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a request where a value is, or may be added."""

    path: JsonPath
    schema: Mapping[str, Any]  # as far as it is found by properties, items and references
    value: Any = None
    is_missing: bool = False

    @property
    def name(self) -> str:
        """Return the name of the property, of the array for its items."""
        return next((step for step in reversed(self.path) if isinstance(step, str)), "")


@dataclass(frozen=True, slots=True)
class UnusualRecord:
    """A named text of the state that programs often read in a wrong way, and a word of it."""

    name: str
    word: str


@dataclass(slots=True)
class KnownValues:
    """Values that tools have shown."""

    _by_name: dict[str, dict[object, Any]] = field(default_factory=dict)
    _by_kind: dict[str, dict[object, Any]] = field(default_factory=dict)
    _names: dict[str, None] = field(default_factory=dict)  # of the parts of the state: tables, files
    _unusual: list[UnusualRecord] = field(default_factory=list)

    @staticmethod
    def of_tools(tools: Iterable[ToolUnderTest]) -> KnownValues:
        """Return the values of the examples of tools: of their requests, and of their outputs."""
        known = KnownValues()
        for tool in tools:
            for example in tool.examples:
                if example.error is None:
                    known.add(example.arguments)
                    known.add(example.output)
        return known

    def copy(self) -> KnownValues:
        """Return the same values, to add others."""
        return copy.deepcopy(self)

    def add_state(self, state: Any) -> None:
        """Add a snapshot of the state: its names are those of tables, records and files."""
        if isinstance(state, Mapping):
            self._names |= dict.fromkeys(str(name) for name in state)
        self._unusual = _unusual_records(dict(_named_texts(state)))
        self.add(state)

    def unusual_records(self, slot: Slot) -> list[UnusualRecord]:
        """Return the unusual records whose names look like the values of a slot."""
        values = [slot.value, *self._by_name.get(_plain(slot.name), {}).values()]
        kinds = {_kind_of_name(value) for value in values if isinstance(value, str)}
        return [each for each in self._unusual if _kind_of_name(each.name) in kinds]

    def add(self, value: Any, names: tuple[str, ...] = ()) -> None:
        """Add all values in an answer."""
        if isinstance(value, Mapping):
            for name, inner in value.items():
                self.add(inner, (*names, str(name)))
                if not str(name).isidentifier():  # the name of a file, the number of a record
                    self._add_scalar(str(name), names)
        elif isinstance(value, list):
            for each in value:
                self.add(each, names)
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            self._add_scalar(value, names)

    def _add_scalar(self, value: Any, names: tuple[str, ...]) -> None:
        if isinstance(value, str) and not 0 < len(value) <= _MAX_TEXT:
            return
        own = "".join(map(_plain, names[-1:]))
        for name in {own, "".join(map(_plain, names[-2:]))}:  # `id` of a `supplier` is a `supplier_id`, too
            _note(self._by_name.setdefault(name, {}), value)
        for kind in kinds_of(value):
            _note(self._by_kind.setdefault(kind, {}), value)
        for word in value.split() if isinstance(value, str) and " " in value else ():
            plain = word.strip(".,:;()")
            _note(self._by_kind.setdefault("word", {}), plain)
            if not plain.isascii():  # letters that have other cases, and other forms
                for form in (plain.casefold(), plain.upper(), unicodedata.normalize("NFD", plain)):
                    _note(self._by_kind.setdefault("folded", {}), form)

    def of_slot(self, slot: Slot) -> list[Any]:
        """Return values that may fit: of its name, then of names that end with it, then of its kind."""
        name = _plain(slot.name)
        found: dict[object, Any] = dict(self._by_name.get(name, {}))
        for other, values in self._by_name.items():
            if len(other) > 1 and (other.endswith(name) or name.endswith(other)):
                found |= values
        for kind in kinds_of(slot.value) if not slot.is_missing else _kinds_of_schema(slot.schema):
            found |= self._by_kind.get(kind, {})
        if isinstance(slot.value, str):
            found = {each: each for each in self._searched(slot.value)} | found
        if isinstance(slot.value, list) and slot.value:
            item = Slot((*slot.path, 0), {}, slot.value[0])
            found = {value_key(each): [*slot.value, each] for each in self.of_slot(item)}
        return [each for each in found.values() if value_key(each) != value_key(slot.value)]

    def _searched(self, text: str) -> Iterator[str]:
        """Yield rare texts: other forms of letters, a word too many, another name of the state."""
        yield from islice(self._by_kind.get("folded", {}).values(), _MAX_RARE)
        texts = [each.split() for each in self._by_kind.get("text", {}).values() if each.count(" ") > 1]
        for words in texts[:2]:
            yield " ".join([*words[:2], _ABSENT])
        yield from islice(self.with_other_names(text), _MAX_RARE)

    def with_other_names(self, text: str) -> Iterator[str]:
        """Yield a text in which a name of the state is another one; of a query in SQL, all of that table."""
        words = re.findall(r"\w+", text)
        for name in self._names if any(word in self._names for word in words) else ():
            if _QUERY.match(text):
                yield f"SELECT * FROM {name}"
            else:
                yield "".join(name if word in self._names else word for word in re.split(r"(\W+)", text))


def slots(schema: Schema, arguments: JsonObject) -> list[Slot]:
    """Return the places of a request: its values, arrays too, and the properties that it leaves out."""
    root = schema if isinstance(schema, Mapping) else {}
    found: list[Slot] = []
    _collect(root, root, arguments, (), found)
    first: dict[JsonPath, Slot] = {}
    for each in found:
        first.setdefault(general_path(each.path), each)
    return list(first.values())


def with_value(request: JsonObject, path: JsonPath, value: Any) -> JsonObject:
    """Return a copy of a request with another value at a place."""
    changed = copy.deepcopy(request)
    place: Any = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = copy.deepcopy(value)
    return changed


def near_values(slot: Slot) -> list[Any]:
    """Return values beside a slot's: what off-by-one errors and forgotten cases confuse with it."""
    schema, value = slot.schema, slot.value
    listed = list(schema.get("enum", ())) if isinstance(schema.get("enum"), list) else []
    if schema.get("type") == "boolean" or isinstance(value, bool):
        listed += [True, False]
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


def other_forms(text: str) -> list[str]:
    """Return a text as other clients may write it: other case, composed or decomposed, with spaces around it.

    Beside them, texts with characters that SQL and patterns read in their own way.
    """
    forms = [text.swapcase(), unicodedata.normalize("NFD", text), unicodedata.normalize("NFC", text)]
    forms += [
        f" {text} ",
        f"{text}\\1",
        f"{text}'",
        f"{text}%",
        f"{text[:-1]}_",
        f"{text}é",
        f"{text}e\u0301",
    ]
    return [each for each in dict.fromkeys(forms) if each != text]


def edge_values(value: Any) -> list[Any]:
    """Return values that are easily taken for missing ones, or for those that they repeat.

    They are an amount of zero, an array with another item for the same thing, and one with an unknown item.
    """
    if isinstance(value, str) and _MONEY.fullmatch(value):
        return ["0.00"]
    if isinstance(value, float):
        return [0.0]
    if isinstance(value, list) and value and isinstance(value[-1], str):
        return [[*value, f"{value[-1]}x"]]
    if not (isinstance(value, list) and value and isinstance(value[0], Mapping)):
        return []
    numbers = {name: inner + 1 for name, inner in value[0].items() if _is_number(inner)}
    amounts = {name: "0.00" for name, inner in value[0].items() if kinds_of(inner)[:1] == ("money",)}
    return [[*value, {**value[0], name: other}] for name, other in (numbers | amounts).items()]


def kinds_of(value: Any) -> tuple[str, ...]:
    """Return the kinds of a value, narrowest first: `date`, `money`, `word`, `text`, `integer`, `number`."""
    if isinstance(value, bool) or value is None:
        return ()
    if isinstance(value, int):
        return ("integer",)
    if isinstance(value, float):
        return ("number",)
    if not isinstance(value, str):
        return ()
    if _DATE.match(value):
        return ("date",) if len(value) == len("2000-01-01") else ("time",)
    if _MONEY.fullmatch(value):
        return ("money",)
    if re.search(r"\d", value) and " " not in value and len(value) < _LONG[0]:
        return (re.sub("[a-z]+", "a", re.sub("[A-Z]+", "A", re.sub(r"\d+", "9", value))), "word")
    if _PATH.fullmatch(value):
        return ("path", "word")
    return ("word", "text") if " " not in value else ("text", "word")


def _kind_of_name(name: str) -> str:
    return "path" if _PATH.fullmatch(name) else kinds_of(name)[0]


def _named_texts(state: Any) -> Iterator[tuple[str, str]]:
    if isinstance(state, Mapping):
        for name, value in state.items():
            if isinstance(value, str) and not str(name).isidentifier():
                yield str(name), value
            yield from _named_texts(value)
    elif isinstance(state, list):
        for each in state:
            yield from _named_texts(each)


def _unusual_records(texts: Mapping[str, str]) -> list[UnusualRecord]:
    """Return a record for each unusual property of texts, and those of the longest texts, near limits."""
    by_length = sorted(texts, key=lambda name: len(texts[name]))
    found = [next((name for name in by_length if is_unusual(texts[name])), "") for is_unusual in _UNUSUAL]
    found += by_length[:-_MAX_LONGEST:-1]
    return [UnusualRecord(name, _unusual_word(texts[name])) for name in dict.fromkeys(found) if name]


def _unusual_word(text: str) -> str:
    """Return a word with letters that have other forms, else the last one."""
    words = [word.strip(".,:;()") for word in text.split()] or [""]
    return next((word for word in words if word.casefold() != word.lower()), words[-1])[:_MAX_WORD]


def _kinds_of_schema(schema: Mapping[str, Any]) -> tuple[str, ...]:
    kinds = {"date": ("date",), "date-time": ("time",)}.get(str(schema.get("format")))
    types = {"integer": ("integer",), "number": ("number", "integer"), "string": ("word", "text")}
    return kinds or types.get(str(schema.get("type")), ())


def _collect(
    root: Mapping[str, Any], schema: Mapping[str, Any], value: Any, path: JsonPath, found: list[Slot]
) -> None:
    schema = _resolved(root, schema)
    if path:
        found.append(Slot(path, schema, value))
    if len(path) >= _MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        properties = schema.get("properties", {})
        for name, inner in value.items():
            _collect(root, properties.get(name, {}), inner, (*path, name), found)
        for name, inner in properties.items():
            if name not in value:
                found.append(Slot((*path, name), _resolved(root, inner), is_missing=True))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _collect(root, schema.get("items", {}), inner, (*path, index), found)


def _resolved(root: Mapping[str, Any], schema: Any) -> Mapping[str, Any]:
    for _ in range(_MAX_DEPTH):
        if not isinstance(schema, Mapping):
            return {}
        if "$ref" not in schema:
            return schema
        target = resolve_reference(root, schema["$ref"])
        schema = None if target is None else target.value
    return {}


def _near_text(value: str) -> Iterator[str]:
    if _DATE.match(value):
        yield from _near_dates(value)
    if _MONEY.fullmatch(value):
        yield from _AMOUNTS
    digits = re.search(r"\d+(?=\D*$)", value)
    if digits is not None:
        for number in (int(digits[0]) - 1, int(digits[0]) + 1):
            if number >= 0:
                yield f"{value[: digits.start()]}{number:0{len(digits[0])}}{value[digits.end() :]}"
    yield from (value[:-1], value[1:], f"{value}\n", f"{value} {value}", "\n".join([value] * 25))
    yield from (
        f"{value}\r\n",
        f"{value}\f{value}\u2028{value}",
        f"{value}\\n\\1",
        f"{value}ß",
        value.rstrip(),
    )
    yield from (
        value.replace("\n", "\r\n"),
        f"{value}\U0001f6b2",
        f"\u05d0{value}",
        f'{value}"',
        "%",
        "'",
        "a",
    )


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
            yield (f"{value} " * length)[:length]


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


def general_path(path: JsonPath) -> JsonPath:
    """Return a path that is the same for all items of an array."""
    return tuple("*" if isinstance(step, int) else step for step in path)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _note(values: dict[object, Any], value: Any) -> None:
    if value != "" and len(values) < _MAX_KNOWN:
        values.setdefault(value_key(value), value)


def _plain(name: str) -> str:
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    return plain[:-1] if plain.endswith("s") and len(plain) > 2 else plain
