"""JSON data is laid out as the formatter lays out Python literals."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from toolgen.compile.printing.format import format_tree
from toolgen.compile.python_source import text_width
from toolgen.compile.python_source.layout import WIDTH, Subscript, laid_out
from toolgen.compile.python_source.literals import literal

WORDS = [
    "a",
    "warehouse",
    "é",
    "日本語",
    "it's",
    'say "x"',
    "one\ntwo",
    "x" * 30,
    "y\\z",
    "—“q”…",
    "Ωж",
    "k\t",
    "€",
    "🚀",
]
SCALARS = [None, True, False, 1, -5, 1.5, 1e-7, 1e22, ""]


class Data:
    """JSON data of every shape and length, the same one for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def text(self, most: int, between: str = " ") -> str:
        return between.join(self.random.choices(WORDS, k=self.random.randint(1, most)))

    def value(self, depth: int) -> Any:
        kind = self.random.random()
        if not depth or kind < 0.35:
            texts = [self.text(7), self.text(2), self.text(9, "\n")]
            return self.random.choice([*SCALARS, *texts])
        return self.container(depth, self.random.choice([0, 1, 1, 2, 3, 5]))

    def container(self, depth: int, count: int) -> Any:
        values = [self.value(depth - 1) for _ in range(count)]
        if self.random.random() < 0.5:
            return values
        return {f"{self.text(3)}{number}": value for number, value in enumerate(values)}


@pytest.mark.parametrize("seed", range(3))
def test_the_formatter_lays_out_data_in_the_same_way(seed: int) -> None:
    data = Data(seed)
    heads = ["X" * data.random.randint(1, 50) + ": Final = " for _ in range(500)]
    values = [data.container(5, 3) for _ in heads]
    printed = {f"{at}.py": f"{head}{literal(values[at])}\n" for at, head in enumerate(heads)}
    ours = {f"{at}.py": f"{laid_out(values[at], head)}\n" for at, head in enumerate(heads)}
    assert format_tree(printed) == ours


def test_data_is_indented_below_its_first_line() -> None:
    value = {"first": "a" * 40, "second": "b" * 40}
    inner = "\n".join([f'        "first": "{"a" * 40}",', f'        "second": "{"b" * 40}",'])
    assert laid_out(value, indent=4, tail=",") == f"{{\n{inner}\n    }},"


@pytest.mark.parametrize("length", [8, 20, 30, 40, 110])
def test_the_formatter_splits_long_subscripts_in_the_same_way(length: int) -> None:
    key = "k" * length
    code = laid_out(
        {"$defs": {key: Subscript("ORDERS_SCHEMAS", key), "other": Subscript("S", "Sku")}}, "X = "
    )
    assert f'ORDERS_SCHEMAS["{key}"]' in "".join(code.split())
    assert format_tree({"x.py": f"{code}\n"}) == {"x.py": f"{code}\n"}


def test_the_formatter_counts_the_same_columns() -> None:
    known = [chr(number) for number in range(0x21, 0x20000) if text_width.is_width_known(chr(number))]
    known = [char for char in known if ord(char) not in range(0x4E10, 0x9F00)]  # all of a kind
    known = [char for char in known if ord(char) not in range(0xAC10, 0xD700)]
    lines = []
    for start in range(0, len(known), 20):
        text = "".join(known[start : start + 20])
        room = WIDTH - len("x = [, '']") - text_width.width(literal(text))
        lines += [f"x = {literal([text, 'a' * length])}" for length in (room, room + 1)]
    formatted = format_tree({"a.py": "\n".join(lines) + "\n"})["a.py"]
    expected = [laid_out([text, rest], "x = ") for text, rest in (eval(line[4:]) for line in lines)]
    assert formatted == "\n".join(expected) + "\n"
    assert sum(line == "x = [" for line in formatted.split("\n")) == len(lines) // 2


@pytest.mark.parametrize("text", ["e\u0301", "🛡\ufe0f", "👩\u200d🔧", "ก็"])
def test_the_width_of_combined_characters_is_left_to_the_formatter(text: str) -> None:
    assert not text_width.is_width_known(text)
