"""Annotated assignments are laid out as the formatter lays them out."""

from __future__ import annotations

from random import Random

import pytest
from toolgen.compile.printing.format import format_tree
from toolgen.compile.python_source.layout import (
    Brackets,
    Expression,
    UnionExpression,
    annotated_assignment,
    class_statement,
    flat,
)
from toolgen.compile.python_source.literals import literal

OPTIONAL = UnionExpression(["str", "None"])


def field(python: Expression, *arguments: str) -> Brackets:
    return Brackets("Annotated[", [python, Brackets("Field(", arguments, ")")], "]")


@pytest.mark.parametrize(
    ("annotation", "value", "lines"),
    [
        ("str", None, ["    name: str"]),
        (OPTIONAL, "None", ["    name: str | None = None"]),
        (
            field(OPTIONAL, f'alias="{"a" * 35}"'),
            "None",
            [f'    name: Annotated[str | None, Field(alias="{"a" * 35}")] = (', "        None", "    )"],
        ),
        (
            field(OPTIONAL, f'alias="{"a" * 50}"'),
            "None",
            ["    name: Annotated[", f'        str | None, Field(alias="{"a" * 50}")', "    ] = None"],
        ),
        (
            Brackets("Literal[", [f'"{"a" * 40}"', f'"{"b" * 40}"'], "]"),
            None,
            ["    name: Literal[", f'        "{"a" * 40}",', f'        "{"b" * 40}",', "    ]"],
        ),
        (
            UnionExpression([Brackets("list[", ["A" * 50], "]"), "B" * 30]),
            "None",
            ["    name: (", f"        list[{'A' * 50}]", f"        | {'B' * 30}", "    ) = None"],
        ),
        (
            Brackets("list[", ["str"], "]"),
            Brackets("[", [f'"{"a" * 50}"', f'"{"b" * 30}"'], "]"),
            ["    name: list[str] = [", f'        "{"a" * 50}",', f'        "{"b" * 30}",', "    ]"],
        ),
    ],
)
def test_where_a_long_statement_is_split(
    annotation: Expression, value: Expression | None, lines: list[str]
) -> None:
    assert annotated_assignment("name", annotation, value).split("\n") == lines


class Statements:
    """Statements of every shape and length, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def statement(self) -> tuple[str, Expression, Expression | None]:
        name = "q" + self.word(self.random.choice([30, 30, 30, 79]))
        return name, self.annotation(), self.value()

    def word(self, most: int) -> str:
        return "".join(self.random.choices("abcdefgh", k=self.random.randint(1, most)))

    def text(self) -> str:
        return f'"{self.word(self.length())}"'

    def length(self) -> int:
        return self.random.choices([20, 60, 90], [80, 14, 6])[0]

    def annotation(self) -> Expression:
        python = self.python(2)
        if self.random.random() < 0.5:
            return python
        arguments = [f"{name}={self.text()}" for name in ("alias", "pattern") if self.random.random() < 0.5]
        arguments.append(f"ge={self.random.randint(-3, 10 ** self.random.randint(1, 19))}")
        return field(python, *arguments)

    def python(self, depth: int) -> Expression:
        match self.random.choice(["name", "class", "list", "dict", "literal", "literal", "union", "union"]):
            case "class":
                return "C" + self.word(self.length())
            case "list" if depth:
                return Brackets("list[", [self.python(depth - 1)], "]")
            case "dict" if depth:
                return Brackets("dict[", ["str", self.python(depth - 1)], "]")
            case "literal":
                count = self.random.choice([1, 2, 3, 4, 5, 6, 12])
                return Brackets("Literal[", [self.text() for _ in range(count)], "]")
            case "union" if depth:
                members = [self.python(0) for _ in range(self.random.randint(1, 3))]
                flattened = [member for member in members if not isinstance(member, UnionExpression)]
                return UnionExpression([*flattened, "int", "None"])
        return self.random.choice(["str", "bool", "Any"])

    def value(self) -> Expression | None:
        numbers = ["5", "-1", "1.5", "True", "-1234567.5", "12345678901234567890123456789"]
        count = self.random.choice([0, 1, 1, 2, 3, 9, 20])
        items = [self.random.choice([self.text(), str(self.random.randint(-9, 99999))]) for _ in range(count)]
        choices: list[Expression | None] = [
            None, "None", self.text(), self.random.choice(numbers), Brackets("[", items, "]")
        ]  # fmt: skip
        return self.random.choice(choices)


@pytest.mark.parametrize("seed", range(4))
def test_the_formatter_would_change_nothing(seed: int) -> None:
    statements = Statements(seed)
    made = [statements.statement() for _ in range(2_000)]
    classes = ["class A:\n" + annotated_assignment(*each) + "\n" for each in made]
    printed = ["class A:\n    {}: {}{}\n".format(*_flat(*each)) for each in made]
    formatted = format_tree({f"{number}.py": "\n\n".join(printed[number::20]) for number in range(20)})
    for number in range(20):
        expected = formatted[f"{number}.py"].split("\n\n\n")
        assert [text.strip() for text in expected] == [text.strip() for text in classes[number::20]]


def _flat(name: str, annotation: Expression, value: Expression | None) -> tuple[str, str, str]:
    return name, flat(annotation), "" if value is None else f" = {flat(value)}"


def test_the_formatter_would_not_change_the_first_line_of_a_class() -> None:
    statements = [class_statement("A" * length, "BaseModel") for length in range(60, 100)]
    source = "\n\n\n".join(f"{statement}\n    a: int" for statement in statements) + "\n"
    assert format_tree({"a.py": source})["a.py"] == source


def test_the_formatter_would_change_no_string() -> None:
    random = Random(0)
    characters = ["'", '"', "\\", "a", "\n", "\t", "é", "\x00", "\x7f", "\u200b", "{", "\\N{", "😀", "\x85"]
    texts = ["".join(random.choices(characters, k=random.randint(0, 8))) for _ in range(2_000)]
    source = "".join(f"a = {literal(text)}\n" for text in texts)
    assert format_tree({"a.py": source})["a.py"] == source
