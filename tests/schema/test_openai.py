"""OpenAI strict mode, rule by rule: conversion, losses, refusals."""

from __future__ import annotations

from typing import Any

import pytest
from strict_subset import faults
from toolgen.schema.dialects.openai import publish, to_strict
from toolgen.schema.dialects.openai_strict import restorer
from toolgen.schema.dialects.published import Published
from toolgen.schema.document import SchemaDocument
from toolgen.schema.providers import OPENAI_STRICT

from tests.samples import load_beside

JsonObject = dict[str, Any]
CASES = load_beside(__file__, "openai_strict.yaml")


def closed(properties: JsonObject, required: list[str] | None = None, **more: Any) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
        **more,
    }


def strict_value(schema: Any, **root: Any) -> Any:
    """The strict form of one required property `v`, which must lose nothing."""
    made = to_strict(SchemaDocument(closed({"v": schema}, **root)))
    assert made.losses == ()
    assert made.strict
    assert faults(made.schema) == []
    return made.schema["properties"]["v"]


def lost(schema: Any, **root: Any) -> list[tuple[str, bool]]:
    made = to_strict(SchemaDocument(closed({"v": schema}, **root)))
    assert not made.strict or faults(made.schema) == []
    return [(loss.keyword, loss.fatal) for loss in made.losses]


@pytest.mark.parametrize(("schema", "printed"), CASES["optional"])
def test_an_optional_property_may_be_null_instead(schema: JsonObject, printed: JsonObject) -> None:
    made = to_strict(SchemaDocument(closed({"v": schema}, [])))
    assert made.losses == ()
    assert made.strict
    assert made.schema["required"] == ["v"]
    assert made.schema["properties"]["v"] == printed
    assert restorer(SchemaDocument(closed({"v": schema}, [])))({"v": None}) == {}


def test_an_optional_nullable_property_is_a_loss_and_null_means_that_it_is_absent() -> None:
    schema = closed({"v": {"type": ["string", "null"]}}, [])
    (loss,) = to_strict(SchemaDocument(schema)).losses
    assert (loss.path, loss.keyword, loss.fatal) == (("properties", "v"), "type", False)
    assert loss.reason.endswith("and null is taken as absent.")
    assert restorer(SchemaDocument(schema))({"v": None}) == {}


@pytest.mark.parametrize(("schema", "printed"), CASES["supported"])
def test_supported_schemas_convert_without_loss(schema: JsonObject, printed: JsonObject) -> None:
    assert strict_value(schema) == printed


@pytest.mark.parametrize(("schema", "keyword"), CASES["unsupported"])
def test_unsupported_keywords_are_losses(schema: JsonObject, keyword: str) -> None:
    defs = {"N": {"type": "integer", "minimum": 1}}
    assert lost(schema, **{"$defs": defs}) == [(keyword, False)]


@pytest.mark.parametrize(("schema", "keyword"), CASES["fatal"])
def test_schemas_without_strict_form_are_fatal_losses(schema: Any, keyword: str) -> None:
    assert (keyword, True) in lost(schema, **{"$defs": {"Loop": {"allOf": [{"$ref": "#/$defs/Loop"}]}}})


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string"},
        {"anyOf": [closed({"a": {"type": "null"}}), closed({"b": {"type": "null"}})]},
        {"type": ["object", "null"], "properties": {}, "additionalProperties": False},
    ],
)
def test_the_root_must_be_one_object(schema: JsonObject) -> None:
    (loss,) = to_strict(SchemaDocument(schema)).losses
    assert (loss.path, loss.fatal) == ((), True)


@pytest.mark.parametrize("tag", [{"const": "cat"}, {"enum": ["cat", "lion"]}])
def test_a_discriminated_oneof_is_an_anyof(tag: JsonObject) -> None:
    cat = closed({"kind": tag, "lives": {"type": "integer"}}, ["kind"])
    dog = closed({"kind": {"const": "dog"}, "lives": {"type": "integer"}}, ["kind"])
    schema = closed({"pet": {"oneOf": [cat, dog]}})
    assert to_strict(SchemaDocument(schema)).losses == ()
    assert restorer(SchemaDocument(schema))({"pet": {"kind": "dog", "lives": None}}) == {
        "pet": {"kind": "dog"}
    }


def test_references_are_kept_wherever_they_point() -> None:
    schema = closed(
        {
            "tree": {"$ref": "#/definitions/Tree", "description": "the tree"},
            "again": {"$ref": "#/properties/tree"},
            "self": {"$ref": "#"},
            "odd": {"$ref": "#/definitions/a~1b%20c"},
            "named": {"$ref": "#anchored"},
        },
        ["tree"],
        definitions={
            "Tree": closed({"kids": {"type": "array", "items": {"$ref": "#/definitions/Tree"}}}, []),
            "a/b c": {"type": "string", "$anchor": "anchored"},
        },
    )
    made = to_strict(SchemaDocument(schema))
    assert made.losses == ()
    assert made.strict
    assert faults(made.schema) == []
    assert made.schema["properties"]["tree"] == {
        "description": "the tree",
        "anyOf": [{"$ref": "#/$defs/Tree"}],
    }
    assert set(made.schema["$defs"]) == {"Tree", "a_b_c", "tree"}
    sent = {
        "tree": {"kids": [{"kids": None}, {"kids": []}]},
        "again": None,
        "self": {"tree": {"kids": None}, "again": None, "self": None, "odd": None, "named": None},
        "odd": "x",
        "named": None,
    }
    assert restorer(SchemaDocument(schema))(sent) == {
        "tree": {"kids": [{}, {"kids": []}]},
        "self": {"tree": {}},
        "odd": "x",
    }


def nested(depth: int) -> JsonObject:
    schema: JsonObject = closed({})
    for _ in range(depth - 1):
        schema = closed({"a": schema})
    return schema


@pytest.mark.parametrize(
    ("fits", "exceeds"),
    [
        (nested(OPENAI_STRICT.depth), nested(OPENAI_STRICT.depth + 1)),
        (
            closed({f"p{i}": {"type": "null"} for i in range(OPENAI_STRICT.properties)}),
            closed({f"p{i}": {"type": "null"} for i in range(OPENAI_STRICT.properties + 1)}),
        ),
        (
            closed({"v": {"enum": list(range(OPENAI_STRICT.enum_values))}}),
            closed({"v": {"enum": list(range(OPENAI_STRICT.enum_values + 1))}}),
        ),
        (closed({"v": {"const": "x" * 100_000}}), closed({"v": {"const": "x" * 120_000}})),
    ],
    ids=["depth", "properties", "enum values", "text"],
)
def test_size_limits_of_openai(fits: JsonObject, exceeds: JsonObject) -> None:
    assert to_strict(SchemaDocument(fits)).losses == ()
    (loss,) = to_strict(SchemaDocument(exceeds)).losses
    assert loss.fatal


def test_strict_option_decides_what_is_published() -> None:
    exact = closed({"a": {"type": "integer"}}, [])
    lossy = closed({"a": {"type": "string", "maxLength": 3}})
    hopeless = {"type": "object"}
    assert publish(SchemaDocument(exact), None) == Published(to_strict(SchemaDocument(exact)).schema, True)
    assert publish(SchemaDocument(exact), False) == Published(exact)
    assert publish(SchemaDocument(lossy), None) == Published(lossy)
    assert publish(SchemaDocument(lossy), True) == Published(
        to_strict(SchemaDocument(lossy)).schema, True, to_strict(SchemaDocument(lossy)).losses
    )
    assert publish(SchemaDocument(hopeless), None) == Published(hopeless)
    published = publish(SchemaDocument(hopeless), True)
    assert (published.schema, published.strict) == (hopeless, False)
    assert any(loss.fatal for loss in published.losses)
