"""Which names the classes of nested objects have, and that they keep them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from toolgen.compile.printing.models import tool_classes

from tests.models.helpers import lowered
from tests.samples import load_beside

Json = dict[str, Any]
CASES = load_beside(__file__, "class_names.yaml")


def named(properties: Json, response: Json | None = None, **defs: Any) -> list[str]:
    """Return the names of all classes but those of request and response."""
    schema = {"type": "object", "properties": properties, **({"$defs": defs} if defs else {})}
    spec: Json = {"name": "order", "description": "d", "input_schema": schema}
    if response is not None:
        spec["output_schema"] = {"type": "object", "properties": response}
    (tool,) = lowered(json.dumps(spec)).tools
    return sorted({*tool_classes(tool).classes} - {"OrderRequest", "OrderResponse"})


@pytest.mark.parametrize(
    ("properties", "names"), [*CASES["properties"], *CASES["titles and tags"], *CASES["conflicts"]]
)
def test_the_names_of_classes(properties: Json, names: list[str]) -> None:
    assert named(properties) == names


@pytest.mark.parametrize(("properties", "defs", "names"), CASES["definitions"])
def test_definitions_name_their_classes(properties: Json, defs: Json, names: list[str]) -> None:
    assert named(properties, **defs) == names


@pytest.mark.parametrize(("request_", "response", "names"), CASES["responses"])
def test_equal_classes_of_request_and_response_are_one(
    request_: Json, response: Json, names: list[str]
) -> None:
    assert named(request_, response) == names


@pytest.mark.parametrize("changed", CASES["changes"])
def test_unrelated_changes_rename_no_class(changed: Json) -> None:
    names = {*named(CASES["order"])}
    assert names == {"Address", "Customer", "Item", "Line"}
    assert names <= {*named(changed)}
