"""What the code put into a response arrives, however it was put there; nothing is made up."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field
from toolgen.runtime.contract.sent import dump, without_refused_nulls
from toolgen.runtime.validation.compiled_schema import compile_schema

from tests.runtime.tool_factory import code_of, make_tool, run


class Line(BaseModel):
    notes: list[str] = []
    count: int = 1


class Answer(BaseModel):
    model_config = ConfigDict(extra="allow")

    line: Line = Line()
    lines: list[Line] = Field(default_factory=list)
    either: Line | str | None = None
    anything: Any = None
    note: str | None = None


def appended(answer: Answer) -> Answer:
    answer.line.notes.append("a")
    answer.lines.append(Line())
    answer.lines[0].notes.append("b")
    return answer


@pytest.mark.parametrize("made", [Answer(), Answer.model_construct(), Answer().model_copy(deep=True)])
def test_a_default_that_was_changed_in_place_is_sent(made: Answer) -> None:
    appended(made)
    before = made.model_copy(deep=True)
    assert dump(made) == {"line": {"notes": ["a"]}, "lines": [{"notes": ["b"]}]}
    assert made == before
    assert made.model_fields_set == before.model_fields_set == set()


def test_models_below_any_type_extras_and_unions_are_sent_as_they_are_now() -> None:
    line = Line()
    line.notes.append("x")
    made = Answer(either=line, anything={"a": [line]}, extra=line)
    sent = {"notes": ["x"]}
    assert dump(made) == {"either": sent, "anything": {"a": [sent]}, "extra": sent}


OBJECT = {
    "type": "object",
    "required": ["must"],
    "properties": {
        "must": {"type": ["string", "null"]},
        "note": {"type": "string"},
        "open": {"type": ["string", "null"]},
        "items": {"type": "array", "items": {"type": ["integer", "null"]}},
        "inner": {"$ref": "#/$defs/inner"},
    },
    "$defs": {"inner": {"anyOf": [{"type": "string"}, {"properties": {"a": {"enum": [1, 2]}}}]}},
}


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ({"must": None, "note": None, "open": None}, {"must": None, "open": None}),
        ({"must": "", "note": None, "items": [None], "x": None}, {"must": "", "items": [None], "x": None}),
        ({"must": "", "inner": {"a": None, "b": None}}, {"must": "", "inner": {"b": None}}),
    ],
)
def test_a_null_that_an_optional_property_refuses_is_left_out(value: Any, sent: Any) -> None:
    assert without_refused_nulls(compile_schema(OBJECT), value) == sent
    response = run(make_tool(lambda *_: value, output_schema=OBJECT))
    assert response.content == sent


@pytest.mark.parametrize(
    "schema",
    [
        {"required": ["a"], "properties": {"a": {"type": "string"}}},
        {"additionalProperties": {"type": "string"}},
        {"properties": {"a": {"type": "string"}}, "if": {"properties": {}}, "then": {"required": ["a"]}},
    ],
)
def test_other_nulls_are_refused(schema: dict[str, Any]) -> None:
    response = run(make_tool(lambda *_: {"a": None}, output_schema={"type": "object", **schema}))
    assert code_of(response) == "invalid_response"


def test_the_branch_that_a_value_fits_decides_which_nulls_it_has() -> None:
    kinds = [
        {"properties": {"kind": {"const": "a"}, "x": {"type": "string"}, "y": {"type": "null"}}},
        {"properties": {"kind": {"const": "b"}, "x": {"type": "null"}, "y": {"type": "string"}}},
    ]
    value = {"kind": "b", "x": None, "y": None}
    assert without_refused_nulls(compile_schema({"oneOf": kinds}), value) == {"kind": "b", "x": None}


def test_what_another_server_has_sent_is_refused_as_it_is() -> None:
    tool = make_tool(lambda *_: {"must": "", "note": None}, output_schema=OBJECT)
    type(tool).forwards = True  # type: ignore[attr-defined]
    assert code_of(run(tool)) == "invalid_response"


class NumberedLine(Line):
    number: int = 0
    hidden: Any = None


class Lines(BaseModel):
    line: Line
    lines: list[Line]
    by_name: dict[str, Line | str]


@pytest.mark.parametrize("own", [{"number": 7}, {"hidden": Line(count=2)}])
def test_an_instance_of_a_subclass_has_its_own_fields(own: dict[str, Any]) -> None:
    line = NumberedLine(notes=["a"], **own)
    made = Lines(line=line, lines=[line, Line(count=3)], by_name={"a": line, "b": "c"})
    sent = dump(line)
    assert sent.keys() == {"notes", *own}
    assert dump(made) == {"line": sent, "lines": [sent, {"count": 3}], "by_name": {"a": sent, "b": "c"}}
    assert isinstance(made.line, NumberedLine)


TEXT = {"properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "value", "sent"),
    [
        ({"patternProperties": {"^x": TEXT}}, {"x1": {"a": None, "b": None}}, {"x1": {"b": None}}),
        ({"additionalProperties": TEXT, "properties": {"p": {}}}, {"q": {"a": None}}, {"q": {}}),
        ({"dependentSchemas": {"b": TEXT}}, {"a": None, "b": 1}, {"b": 1}),
        ({"prefixItems": [TEXT], "items": {}}, [{"a": None}, {"a": None}], [{}, {"a": None}]),
        (
            {
                **TEXT,
                "allOf": [{"if": {"required": ["a"]}, "else": {"properties": {"b": {"type": "string"}}}}],
            },
            {"a": None, "b": None},
            {},
        ),
    ],
)
def test_nulls_are_left_out_below_every_keyword(schema: dict[str, Any], value: Any, sent: Any) -> None:
    assert without_refused_nulls(compile_schema(schema), value) == sent
