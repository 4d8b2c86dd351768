"""However a spec writes a reference, every feature that looks into schemas says the same of it.

Each row writes the same schema of a request. The first is the usual way; the others are compared with it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest
from toolgen.changes.contract import REQUEST, RESPONSE
from toolgen.changes.schema_findings import DIRECTIONS
from toolgen.changes.schemas.judging import judge_schemas
from toolgen.compile.models.class_builder import root_classes
from toolgen.compile.models.shapes import ANY
from toolgen.compile.pipeline import bind
from toolgen.compile.printing.lower import lower
from toolgen.compile.printing.models import package_classes
from toolgen.compile.publishing.adapt import adapt
from toolgen.language.package import PackageSettings
from toolgen.language.program import ProgramTool
from toolgen.proof.containment import Unanalysed, check_containment
from toolgen.proof.instances import InstanceGenerator
from toolgen.runtime.coercion.coerce import coerce
from toolgen.runtime.validation.compiled_schema import compile_schema
from toolgen.runtime.validation.faults import find_faults
from toolgen.schema import document
from toolgen.schema.dialects.publish import publish, publishes_output
from toolgen.schema.document import SchemaDocument, subschemas
from toolgen.schema.inline import inline_references, wrap_in_object
from toolgen.schema.validator import compiled
from toolgen.testing.requests import slots

from tests.models.helpers import TARGETS

Json = dict[str, Any]

ORDER: Json = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "minLength": 2},
        "lines": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["id"],
    "additionalProperties": False,
}
DRAFT_7 = {"$schema": "http://json-schema.org/draft-07/schema#"}
EXAMPLE = "https://example.com/"


def schema(reference: Json, definitions: Json, keyword: str = "$defs", **more: Any) -> Json:
    """Return the schema of an object whose property `order` is `reference`."""
    cursor = {"type": "string"}
    properties = {"order": reference, "cursor": cursor}
    closed = {
        "type": "object",
        "properties": properties,
        "required": ["order"],
        "additionalProperties": False,
    }
    return {**closed, keyword: definitions, **more}


def by(reference: str, definition: Json | None = None, **more: Any) -> Json:
    return schema({"$ref": reference}, {"order": {**(definition or {}), **ORDER}}, **more)


def seven(reference: str, definition: Json | None = None, keyword: str = "definitions", **more: Any) -> Json:
    """The same in draft-07."""
    return schema(
        {"$ref": reference}, {"order": {**(definition or {}), **ORDER}}, keyword, **{**DRAFT_7, **more}
    )


def named(name: str, reference: str) -> Json:
    return schema({"$ref": reference}, {name: {"title": "Order", **ORDER}})


SPELLINGS: Mapping[str, Json] = {
    "a pointer": by("#/$defs/order"),
    "an escaped $": by("#/%24defs/order"),
    "an escaped letter": by("#/$defs/%6Frder"),
    "escaped slashes": by("#%2F$defs%2Forder"),
    "an escaped ~1": named("or/der", "#%2f$defs/or%7e1der"),
    "an escaped $anchor": by("#%6Frder", {"$anchor": "order"}),
    "~1": named("or/der", "#/$defs/or~1der"),
    "~0": named("or~der", "#/$defs/or~0der"),
    "~1, escaped": named("or/der", "#/$defs/or%7E1der"),
    "%25": named("or%der", "#/$defs/or%25der"),
    "%20": named("or der", "#/$defs/or%20der"),
    "a letter beyond ASCII": named("ördér", "#/$defs/%C3%B6rd%C3%A9r"),
    "below the $defs of a definition": schema(
        {"$ref": "#/$defs/a/$defs/order"}, {"a": {"$defs": {"order": ORDER}}}
    ),
    "items": schema({"$ref": "#/$defs/orders/items"}, {"orders": {"type": "array", "items": ORDER}}),
    "a branch": schema({"$ref": "#/$defs/either/anyOf/1"}, {"either": {"anyOf": [True, ORDER]}}),
    "$anchor": by("#order", {"$anchor": "order"}),
    "$anchor of a deeper schema": schema({"$ref": "#order"}, {"a": {"items": {"$anchor": "order", **ORDER}}}),
    "$ref to a $dynamicAnchor": by("#order", {"$dynamicAnchor": "order"}),
    "$dynamicRef with one target": schema(
        {"$dynamicRef": "#order"}, {"order": {"$dynamicAnchor": "order", **ORDER}}
    ),
    "$dynamicRef to an $anchor": schema({"$dynamicRef": "#order"}, {"order": {"$anchor": "order", **ORDER}}),
    "$dynamicRef that the root decides": schema(
        {"$ref": "a"},
        {
            "a": {"$dynamicAnchor": "order", **ORDER},
            "order": {
                "$id": "a",
                "$dynamicRef": "#order",
                "$defs": {"own": {"$dynamicAnchor": "order", "type": "integer"}},
            },
        },
    ),
    "$dynamicRef with a pointer": schema({"$dynamicRef": "#/$defs/order"}, {"order": ORDER}),
    "the $id of the root": by(f"{EXAMPLE}tool#/$defs/order", **{"$id": f"{EXAMPLE}tool"}),
    "an absolute $id": by(f"{EXAMPLE}order", {"$id": f"{EXAMPLE}order"}),
    "an absolute $id with #": by(f"{EXAMPLE}order#", {"$id": f"{EXAMPLE}order#"}),
    "an $id in other letters": by("HTTPS://EXAMPLE.com/order", {"$id": f"{EXAMPLE}order"}),
    "an $id with dots": by(f"{EXAMPLE}a/../order", {"$id": f"{EXAMPLE}order"}),
    "a relative $id": by("order", {"$id": "order"}, **{"$id": f"{EXAMPLE}tool"}),
    "a relative $id without a base": by("./order.json", {"$id": "order.json"}),
    "an $id like the name of a file": by("schemas/orders.yaml", {"$id": "schemas/orders.yaml"}),
    "a URN": by("urn:example:order", {"$id": "urn:example:order"}),
    "an $id and a pointer": schema(
        {"$ref": f"{EXAMPLE}a#/$defs/order"}, {"a": {"$id": f"{EXAMPLE}a", "$defs": {"order": ORDER}}}
    ),
    "an $id and an $anchor": schema(
        {"$ref": f"{EXAMPLE}a#order"},
        {"a": {"$id": f"{EXAMPLE}a", "$defs": {"order": {"$anchor": "order", **ORDER}}}},
    ),
    "a pointer into another $id": schema(
        {"$ref": "#/$defs/a/$defs/order"}, {"a": {"$id": f"{EXAMPLE}a", "$defs": {"order": ORDER}}}
    ),
    "a reference below an $id": schema(
        {"$id": f"{EXAMPLE}a", "$ref": "#/$defs/order", "$defs": {"order": ORDER}},
        {"order": {"type": "integer"}},
    ),
    "an anchor that two resources have": schema(
        {"$ref": "#order"},
        {
            "a": {"$id": f"{EXAMPLE}a", "$defs": {"b": {"$anchor": "order", "type": "integer"}}},
            "order": {"$anchor": "order", **ORDER},
        },
    ),
    "nested $ids": schema(
        {"$ref": f"{EXAMPLE}a/b"},
        {"a": {"$id": f"{EXAMPLE}a/", "$defs": {"order": {"$id": "b", **ORDER}}}},
    ),
    "a $ref to a $ref": schema(
        {"$ref": "#/$defs/order"}, {"order": {"$ref": "#b"}, "a": ORDER, "b": {"$anchor": "b", "$ref": "#/$defs/a"}}
    ),
    "a $ref with a sibling": schema({"$ref": "#/$defs/order", "title": "Order"}, {"order": ORDER}),
    "draft-07": seven("#/definitions/order"),
    "draft-07: $defs": seven("#/$defs/order", keyword="$defs"),
    "draft-07: $id with #": seven("#order", {"$id": "#order"}),
    "draft-07: an absolute $id": seven(f"{EXAMPLE}order", {"$id": f"{EXAMPLE}order"}),
    "draft-07: # below an $id": schema(
        {"$ref": f"{EXAMPLE}a#order"},
        {"a": {"$id": f"{EXAMPLE}a", "definitions": {"b": {"$id": "#order", **ORDER}}}},
        "definitions",
        **DRAFT_7,
    ),
    "draft-07: an ignored sibling": schema(
        {"$ref": "#/definitions/order", "type": "integer"}, {"order": ORDER}, "definitions", **DRAFT_7
    ),
    "draft-07: an ignored $id": schema(
        {"$ref": "order", "$id": "https://other.example/"},
        {"order": {"$id": "order", **ORDER}},
        "definitions",
        **{**DRAFT_7, "$id": f"{EXAMPLE}tool"},
    ),
    "a shared file": schema({"$ref": "./schemas/orders.yaml#/$defs/order"}, {}),
    "a shared file, by an escaped name": schema({"$ref": "schemas/%6Frders.yaml#/$defs/order"}, {}),
    "a shared file, by an anchor": schema({"$ref": "schemas/orders.yaml#order"}, {}),
    "a part of a shared file": schema({"$ref": "schemas/orders.yaml#/$defs/orders/items"}, {}),
    "a shared file with $ids": schema({"$ref": "schemas/addresses.yaml#/$defs/order"}, {}),
    "a shared file that refers to another": schema({"$ref": "schemas/names.yaml#/$defs/order"}, {}),
}  # fmt: skip
SHARED: Mapping[str, Json] = {
    "schemas/orders.yaml": {
        "order": {"$anchor": "order", **ORDER},
        "orders": {"type": "array", "items": ORDER},
    },
    "schemas/addresses.yaml": {
        "order": {"$ref": f"{EXAMPLE}shared"},
        "with_id": {"$id": f"{EXAMPLE}shared", **ORDER},
    },
    "schemas/names.yaml": {
        "order": {"$ref": "#name"},
        "name": {"$anchor": "name", "$ref": "orders.yaml#order"},
    },
}
USUAL = "a pointer"


@cache
def tool_of(spelling: str) -> ProgramTool:
    """Return a tool that confirms and pages what the reference names. Raises `SpecErrors` if refused."""
    written = SPELLINGS[spelling]
    data = {
        "name": "place",
        "description": "Place an order.",
        "input_schema": written,
        "output_schema": written,
        "confirm": {"message": "Place {order.id} with {order.lines|count} lines?"},
        "max_result_bytes": 40_000,
        "page": {"items": "/order/lines", "cursor": "/cursor", "from": "/cursor"},
    }
    files = {path: json.dumps({"$defs": definitions}) for path, definitions in SHARED.items()}
    files["place.yaml"] = json.dumps(data)
    (tool,) = bind(files).tools
    return tool


VALUES: tuple[Json, ...] = (
    {"order": {"id": "ab"}},
    {"order": {"id": "ab", "lines": ["x"]}, "cursor": "c"},
    {"order": {"id": "a"}},
    {"order": {"lines": []}},
    {"order": {"id": "ab", "lines": ["x", 1], "line": 2}},
    {"order": 3},
    {},
)


def accepted(schema: Mapping[str, Any]) -> list[bool]:
    return [compiled(schema).is_valid(value) for value in VALUES]


def models(document: SchemaDocument) -> Any:
    classes = root_classes(document, "PlaceRequest", defaults=True)
    return classes.named(classes.choose_names(()))


def in_dialect(dialect: str, strict: bool | None) -> Callable[[SchemaDocument], Any]:
    def verdict(document: SchemaDocument) -> Any:
        made = publish(dialect, document, strict)
        return made.strict, [(loss.keyword, loss.fatal) for loss in made.losses], accepted(made.schema)

    return verdict


def output(dialect: str) -> Callable[[SchemaDocument], Any]:
    return lambda document: publishes_output(dialect, document)


def inlined(document: SchemaDocument) -> Any:
    made = inline_references(document)
    return accepted(made), [path for path, node in subschemas(made) if "$ref" in node]


def wrapped(document: SchemaDocument) -> Any:
    validator = compiled(wrap_in_object(document))
    return [validator.is_valid({"result": value}) for value in VALUES]


def made_up(document: SchemaDocument) -> Any:
    generator = InstanceGenerator(document.schema)
    value = generator.example(seed=1, name="place")
    return (
        value,
        len(list(generator.valid_values(seed=1, count=5))),
        compiled(document.schema).is_valid(value),
    )


def inputs(document: SchemaDocument) -> Any:
    return [(slot.path, slot.is_missing) for slot in slots(document.schema, VALUES[1])]


def breaking(document: SchemaDocument) -> Any:
    usual, verdicts = tool_of(USUAL).documents["input_schema"], []
    schema = json.loads(json.dumps(usual.schema))
    schema["$defs"]["order"]["properties"]["id"]["maxLength"] = 10
    narrow = SchemaDocument(schema)
    for old, new in ((usual, document), (document, usual), (document, narrow)):
        for field in (REQUEST, RESPONSE):
            judged = judge_schemas(old, new, DIRECTIONS[field])
            edits = [(each.edit.keyword, type(each.verdict)) for each in judged.edits]
            verdicts.append((type(judged.whole), [edit for edit in edits if edit[1] is not type(None)]))
    return verdicts


def wording(document: SchemaDocument) -> Any:
    validator = compile_schema(document.schema)
    return [find_faults(validator, value) for value in VALUES if not validator.is_valid(value)]


def coercion(document: SchemaDocument) -> Any:
    return coerce(compile_schema(document.schema), {"order": '{"id": "ab", "lines": "[]"}'})


FEATURES: Mapping[str, Callable[[SchemaDocument], Any]] = {
    "models": models,
    "openai": in_dialect("openai", None),
    "openai, strict": in_dialect("openai", True),
    "anthropic": in_dialect("anthropic", None),
    "anthropic, strict": in_dialect("anthropic", True),
    "gemini": in_dialect("gemini", None),
    "bedrock": in_dialect("bedrock", True),
    "mcp": in_dialect("mcp", None),
    "output for openai": output("openai"),
    "output for gemini": output("gemini"),
    "inlined": inlined,
    "wrapped": wrapped,
    "made-up values": made_up,
    "test inputs": inputs,
    "breaking": breaking,
    "wording": wording,
    "coercion": coercion,
}


@cache
def usual_verdict(feature: str) -> Any:
    return FEATURES[feature](tool_of(USUAL).documents["input_schema"])


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_way_to_write_a_reference_is_refused(spelling: str) -> None:
    tool = tool_of(spelling)
    warnings = [each.message for each in tool.warnings if each.code != "ignored-sibling"]
    assert warnings == [each.message for each in tool_of(USUAL).warnings]
    assert accepted(tool.input_schema) == [True, True, False, False, False, False, False]


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_feature_says_the_same_of_every_way(spelling: str, feature: str) -> None:
    found = FEATURES[feature](tool_of(spelling).documents["input_schema"])
    assert found == usual_verdict(feature)


UNDECIDED = schema(
    {
        "$id": "folder",
        "$dynamicAnchor": "node",
        "type": "object",
        "properties": {"child": {"$dynamicRef": "#node"}},
    },
    {"closed": {"$id": "closed", "$dynamicAnchor": "node", "$ref": "folder", "maxProperties": 1}},
)


def test_a_reference_that_a_call_decides_is_any_in_models() -> None:
    (folder,) = (each for each in models(SchemaDocument(UNDECIDED)).values() if "child" in each.fields)
    assert folder.fields["child"].shape == ANY


def test_a_reference_that_a_call_decides_is_not_compared() -> None:
    other = json.loads(json.dumps(UNDECIDED))
    other["$defs"]["closed"]["maxProperties"] = 2
    verdict = check_containment(SchemaDocument(UNDECIDED), SchemaDocument(other))
    assert isinstance(verdict, Unanalysed)
    assert verdict.reason == "`$dynamicRef` may name several schemas"


def test_a_draft_and_a_reference_are_looked_up_once_for_each_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []
    draft_of, resolve_reference = document.draft_of, SchemaDocument._resolve

    def count_draft(schema: object) -> document.Draft | None:
        found.append(json.dumps(schema))
        return draft_of(schema)

    def count_reference(self: SchemaDocument, *key: Any) -> document.Located | document.NoTarget:
        found.append(json.dumps([self.schema, *key]))
        return resolve_reference(self, *key)

    monkeypatch.setattr(document, "draft_of", count_draft)
    monkeypatch.setattr(SchemaDocument, "_resolve", count_reference)
    data = {
        "name": "place",
        "description": "Place an order.",
        "input_schema": SPELLINGS[USUAL],
        "output_schema": {
            "$defs": {"a": ORDER},
            "type": "object",
            "properties": {"b": {"$ref": "#/$defs/a"}},
        },
        "confirm": {"message": "Place {order.id} with {order.lines|count} lines?"},
        "examples": [{"name": "Small", "input": VALUES[0]}],
    }
    program = bind({"place.yaml": json.dumps(data)})
    package_classes(lower(adapt(program, TARGETS), PackageSettings()), {})
    assert [once for once, count in Counter(found).items() if count > 1] == []
    assert len(found) > 4
