"""The gallery's specs: conventions, descriptions and shared schemas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from toolgen.language.reading.editor_schema import editor_schema
from toolgen.language.spec import Spec

SPECS = Path(__file__).parents[2] / "specs"
TOOLS = sorted(SPECS.glob("[!.]*.yaml"))
SHARED = sorted((SPECS / "schemas").glob("*.yaml"))


def load(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return document


def retrieve(uri: str) -> Any:
    """Return a shared schema by the address of a relative $ref; refuse all others."""
    return load(SPECS / uri.removeprefix("gallery:///"))


def validator(schema: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(
        schema, validate_formats=True, retriever=retrieve, base_uri="gallery:///tool.yaml"
    )


def properties(schema: Any, path: str = "$") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every property of a schema, with its path."""
    if isinstance(schema, dict):
        for name, inner in schema.get("properties", {}).items():
            yield f"{path}.{name}", inner
        for key, inner in schema.items():
            yield from properties(inner, f"{path}.{key}")
    elif isinstance(schema, list):
        for number, inner in enumerate(schema):
            yield from properties(inner, f"{path}[{number}]")


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for inner in schema.values():
            yield from objects(inner)


@pytest.mark.parametrize("path", TOOLS, ids=lambda path: path.stem)
def test_spec(path: Path) -> None:
    spec = Spec.model_validate(load(path))
    assert spec.name == path.stem
    assert spec.use_when
    assert spec.avoid_when
    assert spec.returns
    assert spec.output_schema
    assert all(error.hint for error in spec.errors)
    hints = spec.annotations
    assert hints
    assert None not in (hints.readOnlyHint, hints.destructiveHint, hints.idempotentHint, hints.openWorldHint)
    asks, answers = validator(spec.input_schema), validator(spec.output_schema)
    codes = {error.code for error in spec.errors}
    for example in spec.examples:
        asks.validate(example.input)
        if example.error is None:
            answers.validate(example.output)
        else:
            assert example.error in codes


@pytest.mark.parametrize("path", [*TOOLS, *SHARED], ids=lambda path: path.stem)
def test_every_property_is_described_and_every_object_closed(path: Path) -> None:
    document = load(path)
    for where, schema in properties(document):
        assert "description" in schema or "$ref" in schema, where
    for schema in objects(document):
        assert schema["additionalProperties"] is False


def test_the_schema_for_editors_is_that_of_toolgen_schema() -> None:
    assert json.loads((SPECS / ".toolgen.schema.json").read_text(encoding="utf-8")) == editor_schema()
