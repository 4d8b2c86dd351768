"""The asks of examples, searched among all tools."""

from __future__ import annotations

from toolgen.compile.pipeline import bind
from toolgen.language.lint import asks

SPEC = """\
name: {name}
description: {description}
input_schema: {{type: object}}
examples: [{{name: one, ask: {ask}, input: {{}}}}]
"""


def searched(**specs: tuple[str, str]) -> list[asks.SearchedAsk]:
    texts = {
        f"{name}.yaml": SPEC.format(name=name, description=description, ask=ask)
        for name, (description, ask) in specs.items()
    }
    return asks.search_asks(bind(texts).tools)


def test_tools_that_are_found_before_the_right_one_are_ahead() -> None:
    pay, refund = searched(
        pay=("Pay money to a supplier.", "pay the supplier"),
        refund=("Give money back.", "pay money back to a supplier"),
    )
    assert (pay.is_found, pay.ahead) == (True, ())
    assert (refund.is_found, refund.ahead) == (True, ("pay",))


def test_a_sixth_tool_is_not_found() -> None:
    many = {f"tool_{letter}": ("Book a bike.", "book a bike") for letter in "abcdef"}
    found = searched(**many)
    assert [each.is_found for each in found] == [True] * 5 + [False]
    assert found[-1].ahead == tuple(sorted(many))[:5]
