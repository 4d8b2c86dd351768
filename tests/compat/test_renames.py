"""Tools that have another name in the new version."""

from __future__ import annotations

from typing import Any

from toolgen.changes.comparison import find_renames
from toolgen.changes.contract import Contract, by_name, contracts_of
from toolgen.compile.pipeline import analyze

ORDER = {"type": "object", "properties": {"count": {"type": "integer"}, "sku": {"type": "string"}}}
SEARCH = {"type": "object", "properties": {"query": {"type": "string"}}}


def contract(name: str, schema: dict[str, Any], description: str = "Order things.", **more: Any) -> Contract:
    import json

    data = {"name": name, "description": description, "input_schema": schema, **more}
    return contracts_of(analyze({"a.json": json.dumps(data)}, ()))[name]


def renames(old: list[Contract], new: list[Contract]) -> dict[str, str]:
    return find_renames(by_name(old), by_name(new))


def test_an_alias_is_the_former_name() -> None:
    assert renames([contract("a", ORDER)], [contract("b", SEARCH, aliases=["a"])]) == {"a": "b"}


def test_equal_schemas_without_an_alias_are_two_tools() -> None:
    assert renames([contract("a", ORDER)], [contract("b", ORDER)]) == {}


def test_a_tool_that_still_exists_is_not_renamed() -> None:
    assert renames([contract("a", ORDER)], [contract("a", ORDER), contract("b", ORDER)]) == {}
