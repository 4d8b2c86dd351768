"""Every wrong value in a spec is reported in toolgen's words, never in those of a validator."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.program import Parsed
from toolgen.language.reading.parse import parse
from toolgen.language.reading.read import read
from toolgen.language.spec import Spec

from tests.compile.full_spec import FULL, paths

IN_WORKER: Any = {key: value for key, value in FULL.items() if key != "stream"}
IN_WORKER["background"] = {"result_ttl": 3600}  # a worker sends no chunks
ASKING: Any = {key: value for key, value in FULL.items() if key not in ("stream", "page")} | {"asks": True}
WRONG: list[Any] = [None, True, 5, 1.5, -1, 10**30, "", "two words", "\n", [], {}, [5], [[]], {"zzz": 1}]


def parsed(*specs: Any) -> Parsed:
    return parse(read({f"{i}.yaml": json.dumps(spec) for i, spec in enumerate(specs)}))


def _put(spec: Any, path: tuple[str | int, ...], value: Any) -> Any:
    changed = copy.deepcopy(spec)
    inner = changed
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = value
    return changed


def test_every_field_is_parsed() -> None:
    ((spec, _),) = parsed(FULL).tools
    assert spec.extensions == {"x-mine": {"carried": None}}
    assert list(spec.input_schema) == ["type", "properties"]
    assert spec.timeout == 30
    assert type(spec.timeout) is int
    ((in_worker, _),) = parsed(IN_WORKER).tools
    assert in_worker.background is not None
    assert in_worker.background.result_ttl == 3600
    ((asking, _),) = parsed(ASKING).tools
    assert asking.asks
    assert {*FULL, *IN_WORKER, *ASKING} - {"x-mine"} == set(Spec.model_fields) - {"extensions"}


@pytest.mark.parametrize(
    "path",
    [path for path in {**dict.fromkeys(paths(FULL)), **dict.fromkeys(paths(IN_WORKER))} if path],
    ids=lambda path: ".".join(map(str, path)),
)
def test_wrong_values_are_reported_without_words_of_a_validator(path: tuple[str | int, ...]) -> None:
    spec = IN_WORKER if path[0] == "background" else FULL
    for wrong in WRONG:
        try:
            parsed(_put(spec, path, wrong))
        except SpecErrors as errors:
            for diagnostic in errors.diagnostics:
                assert "Input should" not in diagnostic.message
                assert "valid" not in diagnostic.message
                assert diagnostic.span.line == 1
            kinds = [(d.span, d.message) for d in errors.diagnostics]
            assert len(kinds) == len(set(kinds))


def test_properties_may_be_named_like_keywords() -> None:
    names = ["type", "properties", "required", "$ref", "pattern", "descripton", "enum", "default"]
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": names}
    ((spec, _),) = parsed({"name": "a", "description": "A.", "input_schema": schema}).tools
    assert spec.input_schema == schema


def test_values_are_not_read_as_schemas() -> None:
    value = {"requried": [], "type": "strng", "$ref": "https://example.com"}
    schema = {"type": "object", "properties": {"a": {"default": value, "enum": [value], "const": value}}}
    assert parsed({"name": "a", "description": "A.", "input_schema": schema, "meta": value}).tools
