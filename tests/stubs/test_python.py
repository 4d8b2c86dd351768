"""Stubs in Python: one type for what tools share, names that code can use, valid for type checkers."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

from toolgen.compile.stubs.catalogue import function_names, parameter_names
from toolgen.compile.stubs.printed import print_stubs

from tests.corpora import corpus
from tests.stubs.catalogues import HARD, MONEY, result, tool


def stub(*tools: object) -> str:
    return print_stubs(tools).text  # type: ignore[arg-type]


def test_a_tool_is_a_function_with_its_contract_as_docstring() -> None:
    order = tool(
        "order",
        {
            "article": {"type": "string", "description": "Its name.", "minLength": 1},
            "count": {"type": "integer", "minimum": 1, "maximum": 99, "default": 1},
        },
        required=["article"],
        output_schema=result({"price": MONEY, "note": {"type": ["string", "null"]}}, "price"),
        errors=[{"code": "sold_out", "description": "There is none.", "hint": "Wait.", "retryable": True}],
        confirm={"message": "Order {article}?"},
    )
    assert (
        stub(order)
        == '''\
from typing import Literal, NotRequired, TypedDict

class OrderResult(TypedDict):
    price: Price  # An amount.
    note: NotRequired[str | None]

class Price(TypedDict):
    """An amount."""
    amount: float
    currency: NotRequired[Literal["EUR", "USD"]]

def order(
    *,
    article: str,  # Its name. (not empty)
    count: int = 1,  # 1 to 99
) -> OrderResult:
    """Do order.

    Asks the user before it acts.

    Errors:
    - sold_out: There is none. Wait. Retryable.
    """
'''
    )


def test_a_type_that_tools_share_is_printed_once() -> None:
    shared = {"$defs": {"Money": MONEY}}
    tools = [tool(name, {"price": {"$ref": "#/$defs/Money"}}, output_schema=MONEY, **shared) for name in "ab"]
    text = stub(*tools)
    assert text.count("(TypedDict)") == 1
    assert "def a(*, price: Money = ...) -> Money:" in text


def test_tools_whose_names_meet_keep_theirs_where_it_is_valid() -> None:
    names = function_names(["create-order", "create_order", "create.order", "list", "class"])
    assert names["create_order"] == "create_order"
    assert sorted((names["create-order"], names["create.order"])) == ["create_order_2", "create_order_3"]
    assert (names["list"], names["class"]) == ("list_", "class_")


def test_parameters_that_are_no_identifiers_are_renamed_and_say_so() -> None:
    assert parameter_names(["user-id", "user_id", "class"]) == {
        "user-id": "user_id_2",
        "user_id": "user_id",
        "class": "class_",
    }
    assert 'user_id: str = ...,  # "user-id". Of the user' in stub(
        tool("a", {"user-id": {"type": "string", "description": "Of the user"}})
    )


def test_hard_names_and_texts_are_valid_python() -> None:
    text = stub(*HARD)
    module = ast.parse(text)
    assert all(
        isinstance(each, ast.ImportFrom | ast.ClassDef | ast.FunctionDef | ast.Assign) for each in module.body
    )
    functions = [each.name for each in module.body if isinstance(each, ast.FunctionDef)]
    assert len(functions) == len({*functions}) == len(HARD)
    assert "\u202e" not in text


def test_type_checkers_accept_stubs_and_find_a_planted_fault(tmp_path: Path) -> None:
    from toolgen.changes.comparing.source_definitions import read_source_definitions

    listed = read_source_definitions(str(corpus("mcp_tools.public.jsonl")), ".")
    (tmp_path / "hard.pyi").write_text(stub(*HARD) + "\ndef bad() -> Missing: ...\n")
    (tmp_path / "listed.pyi").write_text(stub(*listed))
    (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}')
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--project", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.findall(r"error: (.*?) \(", done.stdout) == ['"Missing" is not defined'], done.stdout
