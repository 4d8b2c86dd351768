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


def test_equal_schemas() -> None:
    described = {**ORDER, "properties": {**ORDER["properties"], "sku": {"type": "string", "title": "SKU"}}}
    assert renames([contract("a", ORDER)], [contract("b", described, "Another text.")]) == {"a": "b"}


def test_other_schemas() -> None:
    other = {**ORDER, "properties": {**ORDER["properties"], "count": {"type": "number"}}}
    assert renames([contract("a", ORDER)], [contract("b", other)]) == {}
    with_description = {**ORDER, "properties": {**ORDER["properties"], "description": {"type": "string"}}}
    with_title = {**ORDER, "properties": {**ORDER["properties"], "title": {"type": "string"}}}
    assert renames([contract("a", with_description)], [contract("b", with_title)]) == {}


def test_schemas_that_many_tools_have_need_the_same_text() -> None:
    old = contract("search_web", SEARCH, "Search the web for pages.")
    assert renames([old], [contract("find_mail", SEARCH, "Look through the inbox.")]) == {}
    assert renames([old], [contract("web_search", SEARCH, "Search the web for pages.")]) == {
        "search_web": "web_search"
    }


def test_of_several_with_equal_schemas_none_is_renamed() -> None:
    old = [contract("buy", ORDER), contract("sell", ORDER)]
    assert renames(old, [contract("purchase", ORDER), contract("vend", ORDER)]) == {}
    assert renames(old, [contract("purchase", ORDER)]) == {}


def test_a_tool_that_still_exists_is_not_renamed() -> None:
    assert renames([contract("a", ORDER)], [contract("a", ORDER), contract("b", ORDER)]) == {}
