"""Requests up to the limits that once blocked a server or took its memory, and the tools that they call."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Json = Any
LIMIT = 4 * 1024 * 1024  # bytes of a request


@dataclass(frozen=True, slots=True)
class Worst:
    """A request: its name in the table, the tool, and its arguments as JSON text."""

    name: str
    tool: str
    arguments: Callable[[], str]


def _array(items: Json) -> Json:
    return {"type": "object", "required": ["x"], "properties": {"x": {"type": "array", **items}}}


def _requiring(count: int) -> Json:
    names = [f"p{number}" for number in range(count)]
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names}


_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
SCHEMAS: dict[str, Json] = {
    "echo": _TEXT,
    "anything": {"type": "object"},
    "preview": {"type": "object", "properties": {"x": {}}},
    "requires_100": _requiring(100),
    "items_require_12": _array({"items": _requiring(12)}),
    "decimals": _array({"items": {"type": "number", "multipleOf": 0.01}}),
    "different": _array({"uniqueItems": True}),
    "options": _array({"items": {"enum": [{"a": [*range(100)], "b": number} for number in range(200)]}}),
    "texts": _array({"items": {"type": "string"}}),
    "look_ahead": _array({"items": {"type": "string", "pattern": r"^(?=(?:\w+\s?)*$)(?!.*--)"}}),
    "tree": {
        "type": "object",
        "anyOf": [{"properties": {"x": {"$ref": "#"}, name: {"type": "string"}}} for name in "abc"],
    },
    "known": {
        "type": "object",
        "properties": {f"name_of_a_property_{number}": {"type": "string"} for number in range(2_000)},
        "additionalProperties": False,
    },
    "rows": _array(
        {"items": {"type": "object", "properties": {name: {"type": "integer"} for name in "abc"}}}
    ),
}
"""The input schema of each tool of the server."""


def _repeated(part: str, times: int = 0) -> Callable[[], str]:
    """Return arguments with a part so many times; 0: as often as there is room."""
    return lambda: f'{{"x": [{",".join([part] * (times or (LIMIT - 2_000) // (len(part) + 1)))}]}}'


def _texts(make: Callable[[int], str], count: int) -> Callable[[], str]:
    return lambda: json.dumps({"x": [make(number) for number in range(count)]}, ensure_ascii=False)


REQUESTS = (
    Worst("a text of 4 MB", "echo", lambda: json.dumps({"text": "x" * (LIMIT - 2_000)})),
    Worst("130,000 texts of two lines in a preview", "preview", _texts(lambda n: f"a\n{n}", 130_000)),
    Worst(
        "680,000 emoji with selectors in a preview", "preview", _texts(lambda _: "\u2764\ufe0f" * 1_360, 500)
    ),
    Worst("1.2 million accents in a preview", "preview", _texts(lambda _: "\u00e9a" * 2_400 + "\n", 500)),
    Worst("100 required properties missing beside 65,000 objects", "requires_100", _repeated("{}", 65_000)),
    Worst(
        "12 required properties missing in each of 65,000 items", "items_require_12", _repeated("{}", 65_000)
    ),
    Worst("multiples of 0.01: 130,000 times 1e300", "decimals", _repeated("1e300", 130_000)),
    Worst("multiples of 0.01: integers of 4,290 digits", "decimals", _repeated("9" * 4_290)),
    Worst(
        "130,000 unknown names beside 2,000 properties",
        "known",
        lambda: json.dumps({f"unknown_property_{n}": 1 for n in range(130_000)}),
    ),
    Worst(
        "integers of 4,290 digits, all different",
        "different",
        lambda: json.dumps({"x": [10**4_289 + n for n in range(970)]}),
    ),
    Worst(
        "integers of 20 digits, all different",
        "different",
        lambda: json.dumps({"x": [10**19 + n for n in range(130_000)]}),
    ),
    Worst("objects in an enum of 200", "options", _repeated(json.dumps({"a": [*range(100)], "b": 199}))),
    Worst("130,000 numbers where texts are expected", "texts", _repeated("1234", 130_000)),
    Worst(
        "130,000 texts that are looked through", "look_ahead", _texts(lambda n: f"{'word ' * 4}!{n}", 130_000)
    ),
    Worst(
        "1,000 texts of 3,900 characters that are looked through",
        "look_ahead",
        _texts(lambda n: f"{'word ' * 779}!{n}", 1_000),
    ),
    Worst(
        "190 levels of three forms, the innermost of none",
        "tree",
        lambda: '{"x":' * 190 + '{"a":1,"b":1,"c":1}' + "}" * 190,
    ),
    Worst("2 million empty objects", "anything", _repeated("{}")),
    Worst("65,000 objects that become models", "rows", _repeated('{"a":1}', 65_000)),
    Worst("130,000 names", "anything", lambda: json.dumps({f"n{n}": 0 for n in range(130_000)})),
    Worst("190 levels, as often as there is room", "anything", _repeated("[" * 190 + "]" * 190)),
    Worst("100,000 levels", "anything", lambda: '{"x": ' + "[" * 100_000 + "]" * 100_000 + "}"),
)
"""All take a tool's arguments. `worst.py` adds replies of an API, and requests that are not calls."""
