"""Every value that a schema accepts goes through the generated model unchanged."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.models.helpers import classes_of, same, there_and_back
from tests.samples import examples

NAMES = st.sampled_from(
    [
        "a",
        "b",
        "class",
        "fooBar",
        "foo-bar",
        "foo_bar",
        "_meta",
        "model_config",
        "json",
        "",
        "é",
        "ﬁ",
        "fi",
        "int",
        "x.y",
        "self",
    ]
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.integers(),
    st.sampled_from([0.0, 1.0, -2.0, 0.5, 1e300, 2.0**60]),
    st.sampled_from(["", "1", "true", "yes", "a", "0.5", "null", "😀", "2020-01-01T00:00:00Z", "A@E.COM"]),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)


@st.composite
def schemas(draw: st.DrawFn, depth: int = 3) -> dict[str, Any] | bool:
    kinds = ["string", "integer", "number", "boolean", "null", "enum", "const", "any", "types", "ref"]
    if depth:
        kinds += ["object", "object", "object", "array", "anyOf", "oneOf", "allOf", "map", "refs"]
    kind = draw(st.sampled_from(kinds))
    inner = schemas(depth=depth - 1)
    match kind:
        case "string":
            return draw(
                st.sampled_from(
                    [
                        {},
                        {"minLength": 1},
                        {"format": "date-time"},
                        {"format": "email"},
                        {"pattern": "^[a-z]+$"},
                    ]
                )
            ) | {"type": kind}
        case "integer" | "number":
            return draw(
                st.sampled_from([{}, {"minimum": 0}, {"maximum": 2.5}, {"multipleOf": 2}, {"default": 1}])
            ) | {"type": kind}
        case "boolean" | "null":
            return {"type": kind}
        case "enum":
            return {"enum": draw(st.lists(SCALARS, min_size=1, max_size=4))}
        case "const":
            return {"const": draw(VALUES)}
        case "any":
            return draw(
                st.sampled_from([True, {}, {"minimum": 3}, {"properties": {"a": {"type": "integer"}}}])
            )
        case "types":
            some = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"])
            return {
                "type": draw(st.lists(some, min_size=1, max_size=3, unique=True)),
                **draw(st.sampled_from([{}, {"properties": {"a": {"type": "boolean"}}}])),
            }
        case "ref":
            return {"$ref": draw(st.sampled_from(["#/$defs/One", "#/$defs/Two"]))}
        case "refs":
            return {"$ref": "#/$defs/One", "description": "d", "properties": {"b": draw(inner)}}
        case "array":
            return {
                "type": "array",
                "items": draw(inner),
                **draw(st.sampled_from([{}, {"minItems": 1}, {"uniqueItems": True}])),
            }
        case "map":
            return {"type": "object", "additionalProperties": draw(inner)}
        case "object":
            properties = draw(st.dictionaries(NAMES, inner, max_size=4))
            return {
                "type": "object",
                "properties": properties,
                "required": draw(st.lists(st.sampled_from(sorted(properties)), unique=True))
                if properties
                else [],
                **draw(
                    st.sampled_from(
                        [{}, {"additionalProperties": False}, {"additionalProperties": {"type": "integer"}}]
                    )
                ),
            }
    return {kind: draw(st.lists(inner, min_size=1, max_size=3))}


@st.composite
def values(draw: st.DrawFn, schema: Any, defs: dict[str, Any], depth: int = 6) -> Any:
    """Return a strategy for values that the schema is likely to accept."""
    if not isinstance(schema, dict) or depth == 0:
        return draw(SCALARS)

    def of(inner: Any) -> Any:
        return draw(values(inner, defs, depth - 1))

    if "$ref" in schema:
        return of(defs[schema["$ref"].rsplit("/", 1)[1]])
    if "enum" in schema:
        return draw(st.sampled_from(schema["enum"]))
    if "const" in schema:
        return schema["const"]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return of(draw(st.sampled_from(schema[key])))
    kind = schema.get("type")
    kind = draw(st.sampled_from(kind)) if isinstance(kind, list) else kind
    match kind:
        case "object":
            declared = {
                k: of(v)
                for k, v in schema.get("properties", {}).items()
                if k in schema.get("required", ()) or draw(st.booleans())
            }
            more = schema.get("additionalProperties", True)
            extra = {} if more is False or draw(st.booleans()) else {draw(NAMES): of(more)}
            return {**extra, **declared}
        case "array":
            return [of(schema.get("items", True)) for _ in range(draw(st.integers(0, 2)))]
    wanted = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
    return draw(VALUES if kind is None else SCALARS.filter(lambda value: isinstance(value, wanted[kind])))


@settings(max_examples=examples(50), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_valid_value_survives_the_model_unchanged(data: st.DataObject) -> None:
    defs = {"One": data.draw(schemas(depth=2)), "Two": data.draw(schemas(depth=1))}
    schema = data.draw(schemas())
    assume(isinstance(schema, dict))
    schema = {**schema, "$defs": defs}
    try:
        judge = jsonschema_rs.validator_for(schema)
    except (ValueError, jsonschema_rs.ReferencingError):
        assume(False)
    model = classes_of({"type": "object"}, schema).ProbeResponse
    for _ in range(4):
        try:
            value = data.draw(values(schema, defs))
            accepted = judge.is_valid(value)
        except RecursionError:
            assume(False)
        if accepted and not _has_huge_float_integer(value):
            got = there_and_back(model, value)
            assert same(got, value), f"{value!r} became {got!r}"


def _has_huge_float_integer(value: Any) -> bool:
    """Integers written as floats beyond 64 bits: Pydantic does not accept them as `int`."""
    if isinstance(value, dict | list):
        return any(map(_has_huge_float_integer, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) and value.is_integer() and abs(value) >= 2**63
