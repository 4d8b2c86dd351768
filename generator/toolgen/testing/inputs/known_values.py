"""Values that tools have shown in examples, answers and snapshots of the state.

They are known by the names of their properties and by their kinds, so that a date from one tool's answer goes
into another tool's filter.
"""

from __future__ import annotations

import copy
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from toolgen.schema.document import value_key
from toolgen.testing.inputs.slots import Slot
from toolgen.testing.tool_under_test import ToolUnderTest

_MAX_KNOWN: Final = 120  # values of one name or kind
_MAX_RARE: Final = 4  # texts of one sort that few requests have
_ABSENT: Final = "zzz"  # a word that no text has
_MAX_TEXT: Final = 200  # characters of a known value
DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
MONEY: Final = re.compile(r"-?\d+\.\d\d")
_QUERY: Final = re.compile(r"\s*select\s.*\sfrom\s", re.IGNORECASE | re.DOTALL)
_PATH: Final = re.compile(r"(?:[\w.-]+/)*[\w-]+\.\w{1,5}|(?:[\w.-]+/)+")
_UNUSUAL: Final[tuple[Callable[[str], bool], ...]] = (
    lambda text: "\r\n" in text,
    # ends of lines for `str.splitlines` that files do not have, and a bare carriage return
    lambda text: re.search("[\v\f\x1c-\x1e\x85\u2028\u2029]|\r(?!\n)", text) is not None,
    lambda text: text.casefold() != text.lower(),  # ß, ligatures
    lambda text: bool(text) and not text.endswith("\n"),
    lambda text: not text,
)
_LONGEST_TEXTS: Final = 3  # that count as unusual: they are near limits
_MAX_CODE: Final = 60  # characters of the number of an order, or another text with digits
_MAX_WORD: Final = 20  # characters of a word of an unusual text


@dataclass(frozen=True, slots=True)
class UnusualRecord:
    """A named text of the state that programs often misread, and a word of it."""

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
        """Add a snapshot of the state, whose keys are names of tables, records or files."""
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
        for last in (1, 2):  # `id` of a `supplier` is a `supplier_id`, too
            name = "".join(map(_plain, names[-last:]))
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
        # A name of one letter would be the end of many others.
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
        """Yield texts for a search: other forms of letters, an unknown word, other names of the state."""
        yield from islice(self._by_kind.get("folded", {}).values(), _MAX_RARE)
        texts = [each.split() for each in self._by_kind.get("text", {}).values() if each.count(" ") > 1]
        for words in texts[:2]:
            yield " ".join([*words[:2], _ABSENT])
        yield from islice(self.with_other_names(text), _MAX_RARE)

    def with_other_names(self, text: str) -> Iterator[str]:
        """Yield a text with another name of the state in it; of a SQL query, everything in that table."""
        words = re.findall(r"\w+", text)
        for name in self._names if any(word in self._names for word in words) else ():
            if _QUERY.match(text):
                yield f"SELECT * FROM {name}"
            else:
                yield "".join(name if word in self._names else word for word in re.split(r"(\W+)", text))


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
    """Return a record for each unusual property of texts, and those of the longest texts."""
    by_length = sorted(texts, key=lambda name: len(texts[name]))
    found = [next((name for name in by_length if is_unusual(texts[name])), "") for is_unusual in _UNUSUAL]
    found += by_length[-_LONGEST_TEXTS:][::-1]
    return [UnusualRecord(name, _unusual_word(texts[name])) for name in dict.fromkeys(found) if name]


def _unusual_word(text: str) -> str:
    """Return a word with letters that have other forms, else the last one."""
    words = [word.strip(".,:;()") for word in text.split()] or [""]
    return next((word for word in words if word.casefold() != word.lower()), words[-1])[:_MAX_WORD]


def _kinds_of_schema(schema: Mapping[str, Any]) -> tuple[str, ...]:
    kinds = {"date": ("date",), "date-time": ("time",)}.get(str(schema.get("format")))
    types = {"integer": ("integer",), "number": ("number", "integer"), "string": ("word", "text")}
    return kinds or types.get(str(schema.get("type")), ())


def _note(values: dict[object, Any], value: Any) -> None:
    if value != "" and len(values) < _MAX_KNOWN:
        values.setdefault(value_key(value), value)


def _plain(name: str) -> str:
    """Return a name without separators and the s of a plural: `supplier_ids` is `supplierid`."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    return plain[:-1] if plain.endswith("s") and len(plain) > 2 else plain
