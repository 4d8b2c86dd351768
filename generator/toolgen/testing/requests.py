"""Requests for the property tests: valid ones, near the examples and anywhere in the input schema."""

from __future__ import annotations

import calendar
import copy
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import zip_longest
from random import Random
from typing import Any, Final

from toolgen.proof.instances import InstanceGenerator
from toolgen.schema.document import JsonObject, JsonPath, Schema, SchemaDocument, value_key
from toolgen.schema.validator import compiled
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest

_MAX_DEPTH: Final = 8  # of slots in a request, and of references to references


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


def slots(schema: Schema, arguments: JsonObject) -> list[Slot]:
    """Return the places of a request: its values, arrays too, and the properties that it leaves out."""
    document = SchemaDocument(schema if isinstance(schema, Mapping) else {}).plain
    found: list[Slot] = []
    _collect(document, document.schema, arguments, (), found)
    first: dict[JsonPath, Slot] = {}
    for each in found:
        # One slot for all items of an array: a thousand of them would leave no calls for other parameters.
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


def general_path(path: JsonPath) -> JsonPath:
    """Return a path that is the same for all items of an array."""
    return tuple("*" if isinstance(step, int) else step for step in path)


def _collect(
    document: SchemaDocument, schema: Mapping[str, Any], value: Any, path: JsonPath, found: list[Slot]
) -> None:
    schema = _resolved(document, schema)
    if path:
        found.append(Slot(path, schema, value))
    if len(path) >= _MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        properties = schema.get("properties", {})
        for name, inner in value.items():
            _collect(document, properties.get(name, {}), inner, (*path, name), found)
        for name, inner in properties.items():
            if name not in value:
                found.append(Slot((*path, name), _resolved(document, inner), is_missing=True))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _collect(document, schema.get("items", {}), inner, (*path, index), found)


def _resolved(document: SchemaDocument, schema: Any) -> Mapping[str, Any]:
    found = document.resolved(schema)
    return found if isinstance(found, Mapping) else {}


_MOST_VALUES: Final = 12  # of one source for one parameter of one example
MAX_BYTES: Final = 100_000
"""Longer requests are not made: they say little more, and take long."""


@dataclass(frozen=True, slots=True)
class Change:
    """A valid request that differs from an example in one place."""

    example: ExpectedCall
    path: JsonPath
    request: JsonObject


def requests(
    tool: ToolUnderTest, *, seed: str, count: int, known: KnownValues | None = None
) -> Iterator[JsonObject]:
    """Yield up to `count` different valid requests: two of three are an example with one or two changes.

    Changes are values that are known of the data, and values beside those of the example. The same tool, seed
    and known values always have the same requests.
    """
    known = known or KnownValues.of_tools([tool])
    generated = list(generated_requests(tool, seed, count))
    changes = changes_of(
        tool, succeeding(tool.examples), known, generated=generated, random=Random(f"{seed} {tool.name}")
    )
    seen = {value_key(each.arguments) for each in tool.examples}
    rows = zip_longest((each.request for each in changes), generated, _pairs(tool, changes))
    for request in (each for row in rows for each in row if each is not None):
        if count > 0 and value_key(request) not in seen:
            seen.add(value_key(request))
            count -= 1
            yield request


def with_defaults(tool: ToolUnderTest, example: ExpectedCall) -> JsonObject | None:
    """Return an example's request with the defaults of all missing parameters; None if there are none."""
    request = spelled_out(tool.input_schema, example.arguments)
    return request if request != example.arguments and is_valid(tool.input_schema, request) else None


def spelled_out(input_schema: Schema, arguments: Mapping[str, Any]) -> JsonObject:
    """Return arguments with the defaults of all missing parameters."""
    properties = input_schema.get("properties", {}) if isinstance(input_schema, Mapping) else {}
    defaults = {
        name: each["default"]
        for name, each in properties.items()
        if isinstance(each, Mapping) and "default" in each and name not in arguments
    }
    return {**arguments, **defaults}


def generated_requests(tool: ToolUnderTest, seed: str, count: int) -> Iterator[JsonObject]:
    """Yield valid requests from anywhere in the input schema."""
    for value in InstanceGenerator(tool.input_schema).valid_values(seed=f"{seed} {tool.name}", count=count):
        if isinstance(value, dict) and len(str(value)) <= MAX_BYTES:
            yield value


def changes_of(
    tool: ToolUnderTest,
    examples: Sequence[ExpectedCall],
    known: KnownValues,
    *,
    generated: Sequence[JsonObject] = (),
    random: Random | None = None,
) -> list[Change]:
    """Return valid requests with one change of an example, in an order that takes all parameters in turn.

    Values are beside the example's, known, or those of `generated` requests; `random` chooses among them.
    """
    groups: list[list[Change]] = []
    for example in examples:
        arguments = example.arguments
        groups += [[Change(example, (each,), _without(arguments, each))] for each in arguments]
        for slot in slots(tool.input_schema, arguments):
            others = [
                each[slot.name] for each in generated if slot.path == (slot.name,) and slot.name in each
            ]
            for values in (near_values(slot), known.of_slot(slot), others):
                if random is not None:
                    random.shuffle(values)
                changed = [with_value(arguments, slot.path, each) for each in values[:_MOST_VALUES]]
                groups.append([Change(example, slot.path, each) for each in changed])
    valid = [[each for each in group if is_valid(tool.input_schema, each.request)] for group in groups]
    # A group is one parameter of one example: each gets a change before any gets a second one.
    if random is not None:
        random.shuffle(valid)
    return [each for row in zip_longest(*valid) for each in row if each is not None]


def _without(arguments: JsonObject, name: str) -> JsonObject:
    return {key: value for key, value in arguments.items() if key != name}


def _pairs(tool: ToolUnderTest, changes: Sequence[Change]) -> Iterator[JsonObject]:
    """Yield examples with two changes: those that follow each other."""
    before: dict[str, JsonObject] = {}
    for change in changes:
        example = change.example
        second = {key: each for key, each in change.request.items() if example.arguments.get(key) != each}
        both = {**before.get(example.name, change.request), **second}
        before[example.name] = change.request
        if is_valid(tool.input_schema, both):
            yield both


def succeeding(examples: Sequence[ExpectedCall]) -> Sequence[ExpectedCall]:
    """Return the examples that end with a result; all of them if none does."""
    return [each for each in examples if each.error is None] or examples


def is_valid(input_schema: Schema, request: JsonObject) -> bool:
    """True if a schema accepts a request."""
    # A schema may be `true`, and only objects are compiled.
    schema = input_schema if isinstance(input_schema, Mapping) else {"allOf": [input_schema]}
    return compiled(schema).is_valid(request)


_MAX_KNOWN: Final = 120  # values of one name or kind
_MAX_TEXT: Final = 200  # characters of a known value
DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
MONEY: Final = re.compile(r"-?\d+\.\d\d")
_PATH: Final = re.compile(r"(?:[\w.-]+/)*[\w-]+\.\w{1,5}|(?:[\w.-]+/)+")
_MAX_CODE: Final = 60  # characters of the number of an order, or another text with digits


@dataclass(slots=True)
class KnownValues:
    """Values that tools have shown."""

    _by_name: dict[str, dict[object, Any]] = field(default_factory=dict)
    _by_kind: dict[str, dict[object, Any]] = field(default_factory=dict)

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

    def add(self, value: Any, names: tuple[str, ...] = ()) -> None:
        """Add all values in an answer, or in a snapshot of the state."""
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
        for last in (1, 2):  # `id` of a `supplier` is a `supplier_id`, too
            name = "".join(map(_plain, names[-last:]))
            _note(self._by_name.setdefault(name, {}), value)
        for kind in kinds_of(value):
            _note(self._by_kind.setdefault(kind, {}), value)
        for word in value.split() if isinstance(value, str) and " " in value else ():
            _note(self._by_kind.setdefault("word", {}), word.strip(".,:;()"))

    def of_slot(self, slot: Slot) -> list[Any]:
        """Return values that may fit: of its name, then of names that end with it, then of its kind."""
        name = _plain(slot.name)
        found: dict[object, Any] = dict(self._by_name.get(name, {}))
        # A name of one letter would be the end of many others.
        for other, values in self._by_name.items():
            if len(other) > 1 and (other.endswith(name) or name.endswith(other)):
                found |= values
        for kind in kinds_of(slot.value) if not slot.is_missing else _kinds_of_schema(slot.schema):
            found |= self._by_kind.get(kind, {})
        if isinstance(slot.value, list) and slot.value:
            item = Slot((*slot.path, 0), {}, slot.value[0])
            found = {value_key(each): [*slot.value, each] for each in self.of_slot(item)}
        return [each for each in found.values() if value_key(each) != value_key(slot.value)]


def kinds_of(value: Any) -> tuple[str, ...]:
    """Return the kinds of a value, narrowest first: `date`, `money`, `word`, `text`, `integer`, `number`."""
    if isinstance(value, bool) or value is None:  # a schema lists the other values of these
        return ()
    if isinstance(value, int):
        return ("integer",)
    if isinstance(value, float):
        return ("number",)
    if not isinstance(value, str):
        return ()
    if DATE.match(value):
        return ("date",) if len(value) == len("2000-01-01") else ("time",)
    if MONEY.fullmatch(value):
        return ("money",)
    if re.search(r"\d", value) and " " not in value and len(value) < _MAX_CODE:
        # the shape of a number or code, so that A-17 goes where B-204 was
        return (re.sub("[a-z]+", "a", re.sub("[A-Z]+", "A", re.sub(r"\d+", "9", value))), "word")
    if _PATH.fullmatch(value):
        return ("path", "word")
    return ("word", "text") if " " not in value else ("text", "word")


def _kinds_of_schema(schema: Mapping[str, Any]) -> tuple[str, ...]:
    kinds = {"date": ("date",), "date-time": ("time",)}.get(str(schema.get("format", schema.get("x-format"))))
    types = {"integer": ("integer",), "number": ("number", "integer"), "string": ("word", "text")}
    return kinds or types.get(str(schema.get("type")), ())


def _note(values: dict[object, Any], value: Any) -> None:
    if value != "" and len(values) < _MAX_KNOWN:
        values.setdefault(value_key(value), value)


def _plain(name: str) -> str:
    """Return a name without separators and the s of a plural: `supplier_ids` is `supplierid`."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    return plain[:-1] if plain.endswith("s") and len(plain) > 2 else plain


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
    # Without a value, the bounds and the default are the values that code compares with.
    if slot.is_missing:
        bounds = [schema[key] for key in ("minimum", "maximum", "default") if key in schema]
        listed += [each + step for each in bounds if _is_number(each) for step in (0, 1, -1)]
        listed += [1, 2] if schema.get("type") in ("integer", "number") else []
        return listed
    near: list[Any] = []
    if isinstance(value, int) and not isinstance(value, bool):
        near = [value - 1, value + 1, 0, value * 10]
    elif isinstance(value, float):
        near = [value - 0.01, value + 0.01, 0.0, *map(float, _AMOUNTS)]
    elif isinstance(value, str):
        near = [*_near_text(value), *_long_texts(value, schema)]
    elif isinstance(value, list):
        near = _near_lists(value)
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
