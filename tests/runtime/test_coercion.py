"""Coercion: strings that hold JSON become values where the schema leaves no doubt, and are reported."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from toolgen.runtime import ToolError, ToolResponse
from toolgen.runtime.coercion import coerce, leave_out
from toolgen.runtime.text import show_path
from toolgen.runtime.validation.compiled_schema import compile_schema

from tests.runtime.tool_factory import Anything, make_tool, run
from tests.samples import load_beside
from tests.scopes import Agreeing

CASES = load_beside(__file__, "coercion.yaml")
INTEGER: dict[str, Any] = {"type": "integer"}
ROWS: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"sku": {"type": "string"}, "quantity": {"type": "integer", "minimum": 1}},
        "required": ["sku"],
        "additionalProperties": False,
    },
}


def coerced(schema: dict[str, Any], value: Any, **root: Any) -> Any:
    """What `value` becomes as the argument `a` with `schema`; "refused" where it is left as it is."""
    compiled = compile_schema({"type": "object", "properties": {"a": schema}, **root})
    raw = {"a": value}
    before = copy.deepcopy(raw)
    assert not compiled.accepts(raw)
    found = coerce(compiled, raw)
    assert raw == before
    return found.value["a"] if compiled.accepts(found.value) else "refused"


@pytest.mark.parametrize(("schema", "text", "value"), CASES["coerced"])
def test_what_is_coerced(schema: dict[str, Any], text: Any, value: Any) -> None:
    got = coerced(schema, text, **{"$defs": {"n": INTEGER}})
    assert (got, type(got)) == (value, type(value))


@pytest.mark.parametrize(("schema", "value"), CASES["left as it is"])
def test_what_is_left_as_it_is(schema: dict[str, Any], value: Any) -> None:
    assert coerced(schema, value, **{"$defs": {"secret": {"writeOnly": True}}}) == "refused"


async def echo(self: Any, request: Anything, context: Any) -> Any:
    return request.model_dump()


def tool_of(properties: dict[str, Any], **definition: Any) -> Any:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return make_tool(echo, input_schema=schema, **definition)


def coercions(response: ToolResponse) -> Any:
    return response.metadata.get("coerced")


def test_the_implementation_gets_the_value_and_the_response_tells() -> None:
    raw = {"n": "5", "rows": '[{"sku": "A", "quantity": "2"}]', "ok": True}
    response = run(tool_of({"n": INTEGER, "rows": ROWS, "ok": {"type": "boolean"}}), raw)
    assert response.content == {"n": 5, "rows": [{"sku": "A", "quantity": 2}], "ok": True}
    assert coercions(response) == [
        {"path": "$.n", "from": "string", "to": "integer"},
        {"path": "$.rows", "from": "string", "to": "array"},
        {"path": "$.rows[0].quantity", "from": "string", "to": "integer"},
    ]
    assert raw == {"n": "5", "rows": '[{"sku": "A", "quantity": "2"}]', "ok": True}


@pytest.mark.parametrize("times", [1, 2, 3])
def test_all_arguments_as_one_text(times: int) -> None:
    raw: Any = {"n": "5"}
    for _ in range(times):
        raw = json.dumps(raw)
    response = run(tool_of({"n": INTEGER}), raw)
    assert response.content == {"n": 5}
    assert coercions(response) == [
        {"path": "$", "from": "string", "to": "object"},
        {"path": "$.n", "from": "string", "to": "integer"},
    ]


def test_faults_are_those_of_the_coerced_arguments() -> None:
    sent = {"rows": '[{"sku": 5, "quantity": 1}, {"quantity": "0"}]', "n": "1", "m": "x"}
    response = run(tool_of({"rows": ROWS, "n": INTEGER, "m": INTEGER}), sent)
    assert response.as_text().splitlines()[1:] == [
        "- $.rows[0].sku: expected string, got the number 5",
        "- $.rows[1].quantity: expected at least 1, got 0",
        "- $.rows[1].sku: required property is missing, expected string",
        '- $.m: expected integer, got the string "x"',
    ]


@pytest.mark.parametrize("raw", [{"n": "5"}, '{"n": 5}'])
def test_a_spec_can_turn_it_off(raw: Any) -> None:
    tool = tool_of({"n": INTEGER}, coerce=False)
    assert run(tool, raw).success is False
    with pytest.raises(ToolError):
        type(tool).check_inputs(raw)


def test_the_user_is_asked_about_what_is_meant() -> None:
    user = Agreeing()
    rows = {"type": "array", "items": INTEGER}
    tool = tool_of({"rows": rows}, confirm={"message": "Delete {rows|count} rows?"})
    for raw in ({"rows": "[1, 2, 3]"}, '{"rows": ["1", 2, 3]}'):
        assert run(tool, raw, confirm=user).content == {"rows": [1, 2, 3]}
    assert [question.message for question in user.asked] == ["Delete 3 rows?"] * 2
    assert [question.arguments for question in user.asked] == [{"rows": [1, 2, 3]}] * 2


def test_no_secret_is_in_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X_KEY", "hunter2")
    schema = {"type": "object", "additionalProperties": INTEGER}
    response = run(make_tool(echo, input_schema=schema, auth={"secrets": ["X_KEY"]}), {"hunter2": "5"})
    assert coercions(response) == [{"path": "$.[secret]", "from": "string", "to": "integer"}]


def nested(depth: int) -> str:
    text = "1"
    for _ in range(depth):
        text = json.dumps([text])
    return text


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "9" * 100_000,
        "[" + "1," * 600_000 + "1]",
        '["\\ud800"]',
        nested(14),
        "[" + '"1",' * 100_000 + '"1"]',
    ],
    ids=lambda text: text[:12],
)
def test_hostile_texts_are_refused_and_cheap(text: str) -> None:
    tree = {"type": ["integer", "array"], "items": {"$ref": "#/$defs/tree"}}
    compiled = compile_schema(
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": tree}}
    )
    assert not compiled.accepts(coerce(compiled, {"a": text}).value)


LEFT_OUT = load_beside(__file__, "left_out.yaml")


@pytest.mark.parametrize("case", LEFT_OUT["cases"], ids=lambda case: str(case["value"]))
def test_a_lenient_server_leaves_out_extras_and_nulls(case: dict[str, Any]) -> None:
    compiled = compile_schema({"type": "object", **case["schema"]})
    value, left = copy.deepcopy(case["value"]), case.get("left")
    assert not compiled.accepts(value)
    found, paths = leave_out(compiled, value)
    assert value == case["value"]
    assert (found if compiled.accepts(found) else None) == left
    assert sorted(map(show_path, paths)) == case.get("out", [])
