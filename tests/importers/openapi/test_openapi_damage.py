"""A document with one damaged value, at every place: it is read, or refused with the place."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from toolgen.runtime.validation.compiled_schema import compile_schema
from toolgen.sources.imported_tool import SourceError

from tests.importers.openapi.test_schemas import imported
from tests.samples import load_beside

WHOLE = load_beside(__file__, "damage.yaml")


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*path, key))


def damaged(path: tuple[Any, ...], value: Any) -> Any:
    data = copy.deepcopy(WHOLE)
    owner = data
    for key in path[:-1]:
        owner = owner[key]
    if not path:
        return value
    owner[path[-1]] = value
    return data


VALUES = [None, True, 7, 1.5, "x", "", [], [1], [{}], {}, {"x": 1}, {"$ref": "#/paths"}]


@pytest.mark.parametrize(
    "value",
    [
        # three are fast enough for `make test`
        pytest.param(value, marks=pytest.mark.slow if number % 4 else [], id=json.dumps(value))
        for number, value in enumerate(VALUES)
    ],
)
def test_damage_at_every_place_is_handled(value: Any) -> None:
    tried = refused = 0
    for path in places(WHOLE):
        tried += 1
        try:
            tools = imported(damaged(path, value))
        except SourceError as error:
            refused += error.message.startswith(("api.json", "there is no"))
            continue
        for tool in tools:
            json.dumps(tool.fields, allow_nan=False)
            compile_schema(tool.fields["input_schema"])
            compile_schema(tool.fields.get("output_schema", {}))
    assert tried > 100
    assert refused < tried
