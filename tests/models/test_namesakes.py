"""An unknown key that is equal to a field's Python name never stands for the field."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.models.helpers import classes_of, same
from tests.samples import examples

WIRE = [
    "orderId",
    "order-id",
    "order id",
    "class",
    "class_",
    "json",
    "json_",
    "modelConfig",
    "_meta",
    "a",
    "1",
]
UNKNOWN = [
    "order_id",
    "class_",
    "class__",
    "json_",
    "model_config",
    "model_extra",
    "_namesakes",
    "meta",
    "field_1",
    "z",
]
INTEGER = {"type": "integer"}


@st.composite
def open_objects(draw: st.DrawFn, depth: int = 2) -> dict[str, Any]:
    """Return the schema of an object with aliases that takes unknown keys."""
    inner = open_objects(depth=depth - 1)
    below = [inner, inner.map(lambda each: {"type": "array", "items": each})] if depth else []
    kinds = st.one_of(st.just(INTEGER), st.just({"type": ["integer", "null"]}), *below)
    properties = draw(st.dictionaries(st.sampled_from(WIRE), kinds, min_size=1, max_size=4))
    required = draw(st.lists(st.sampled_from(sorted(properties)), unique=True))
    return {"type": "object", "properties": properties, "required": required}


@st.composite
def values(draw: st.DrawFn, schema: Any) -> Any:
    """Return a value that the schema accepts, with unknown keys."""
    if schema.get("type") == "array":
        return [draw(values(schema["items"])) for _ in range(draw(st.integers(0, 2)))]
    if "properties" not in schema:
        return draw(st.integers(0, 99))
    known = {
        name: draw(values(inner))
        for name, inner in schema["properties"].items()
        if name in schema["required"] or draw(st.booleans())
    }
    names = st.sampled_from([each for each in UNKNOWN if each not in schema["properties"]])
    unknown = draw(st.dictionaries(names, st.integers(100, 199), max_size=4))
    return {**unknown, **known}


@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_python_name_means_the_validated_field_in_every_dump(data: st.DataObject) -> None:
    schema = data.draw(open_objects())
    model = classes_of(schema).ProbeRequest
    for _ in range(4):
        value = data.draw(values(schema))
        for made in (
            model.model_validate(value, by_name=False),
            model.model_validate_json(json.dumps(value), by_name=False),
        ):
            assert_faithful(made, value)


def assert_faithful(model: BaseModel, value: dict[str, Any]) -> None:
    """Assert that a model shows the fields of `value` by name, and all of it by alias."""
    fields = {name: info.alias or name for name, info in type(model).model_fields.items()}
    dumps = [
        model.model_dump(),
        model.model_dump(mode="json"),
        json.loads(model.model_dump_json(), object_pairs_hook=without_duplicates),
        copy.copy(model).model_dump(),
        model.model_copy(deep=True).model_dump(),
    ]
    unknown = {key: each for key, each in value.items() if key not in fields.values() and key not in fields}
    for name, alias in fields.items():
        own = vars(model)[name]
        assert own is getattr(model, name) is dict(model)[name]
        assert (name in model.model_fields_set) == (alias in value)
        assert all(dump[name] == plain(own) for dump in dumps)
        if isinstance(own, BaseModel):
            assert_faithful(own, value[alias])
        elif isinstance(own, list):
            for each, given_ in zip(own, value[alias], strict=True):
                assert_faithful(each, given_) if isinstance(each, BaseModel) else None
        else:
            assert own == value.get(alias)
    assert all(dump.keys() == {*fields, *unknown} for dump in dumps)
    assert dict(model).keys() == {*fields, *unknown}
    assert model.model_extra == unknown
    assert same(model.model_dump(by_alias=True, exclude_unset=True), value)
    assert same(json.loads(model.model_dump_json(by_alias=True, exclude_unset=True)), value)
    assert model.model_copy() == model == type(model).model_validate(value, by_name=False)


def plain(value: Any) -> Any:
    if isinstance(value, list):
        return list(map(plain, value))
    return value.model_dump() if isinstance(value, BaseModel) else value


def without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)


ORDER = {"type": "object", "properties": {"orderId": INTEGER}, "required": ["orderId"]}
SENT = {"orderId": 1, "order_id": 666}


@pytest.mark.parametrize("more", [{}, {"_namesakes": {"orderId": 5}}])
def test_a_model_of_values_that_are_not_validated_shows_its_fields(more: dict[str, Any]) -> None:
    made = classes_of(ORDER).ProbeRequest.model_construct(**SENT, **more)
    assert made.model_dump()["order_id"] == made.order_id == 1
    assert made.model_dump(by_alias=True) == {**SENT, **more}
