"""However a spec writes a reference, every feature that looks into schemas says the same of it.

Each row writes the same schema of a request. The first is the usual way; the others are compared with it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest
from toolgen.changes.contract import REQUEST, RESPONSE
from toolgen.changes.schema_findings import DIRECTIONS
from toolgen.changes.schemas.judging import judge_schemas
from toolgen.compile.models.class_builder import root_classes
from toolgen.compile.pipeline import bind
from toolgen.language.program import ProgramTool
from toolgen.runtime.validation.compiled_schema import compile_schema
from toolgen.runtime.validation.faults import find_faults
from toolgen.schema.dialects.publish import publish
from toolgen.schema.document import SchemaDocument, subschemas
from toolgen.schema.inline import inline_references
from toolgen.schema.validator import compiled

from tests.samples import load_beside

Json = dict[str, Any]


def schema(reference: Json, definitions: Json, keyword: str = "$defs", more: Mapping[str, Any] = {}) -> Json:
    """Return the schema of an object whose property `order` is `reference`."""
    closed = {"type": "object", "required": ["order"], "additionalProperties": False}
    properties = {"order": reference, "cursor": {"type": "string"}}
    return {**closed, "properties": properties, keyword: definitions, **more}


CASES = load_beside(__file__, "reference_spellings.yaml")
SHARED: Mapping[str, Json] = CASES["shared"]
SPELLINGS: Mapping[str, Json] = {name: schema(**case) for name, case in CASES["spellings"].items()}
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


def inlined(document: SchemaDocument) -> Any:
    made = inline_references(document)
    return accepted(made), [path for path, node in subschemas(made) if "$ref" in node]


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


FEATURES: Mapping[str, Callable[[SchemaDocument], Any]] = {
    "models": models,
    "openai, strict": in_dialect("openai", True),
    "anthropic, strict": in_dialect("anthropic", True),
    "gemini": in_dialect("gemini", None),
    "mcp": in_dialect("mcp", None),
    "inlined": inlined,
    "breaking": breaking,
    "wording": wording,
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
