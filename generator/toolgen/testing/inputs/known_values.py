"""Values that tools have shown in examples, answers and snapshots of the state.

They are known by the names of their properties and by their kinds, so that a date from one tool's answer goes
into another tool's filter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen.schema.document import value_key
from toolgen.testing.inputs.slots import Slot
from toolgen.testing.tool_under_test import ToolUnderTest

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
