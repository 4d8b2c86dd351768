"""Which names the classes of nested objects have, and that they keep them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from toolgen.compile.printing.models import tool_classes

from tests.models.helpers import lowered

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
Json = dict[str, Any]


def obj(title: str = "", /, **properties: Any) -> Json:
    return {"type": "object", "properties": properties, **({"title": title} if title else {})}


def array(items: Any) -> Json:
    return {"type": "array", "items": items}


def map_of(values: Any) -> Json:
    return {"type": "object", "additionalProperties": values}


def one_of(*branches: Any) -> Json:
    return {"oneOf": list(branches)}


def tagged(tag: str, **properties: Any) -> Json:
    return {**obj(kind={"const": tag}, **properties), "required": ["kind"]}


def ref(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}


def named(properties: Json, response: Json | None = None, **defs: Any) -> list[str]:
    """Return the names of all classes but those of request and response."""
    schema = {**obj(**properties), **({"$defs": defs} if defs else {})}
    spec: Json = {"name": "order", "description": "d", "input_schema": schema}
    if response is not None:
        spec["output_schema"] = obj(**response)
    (tool,) = lowered(json.dumps(spec)).tools
    return sorted({*tool_classes(tool).classes} - {"OrderRequest", "OrderResponse"})


A, B, C = obj(a=TEXT), obj(b=TEXT), obj(c=TEXT)
LONG = "Everything that the warehouse needs to know about the parcel"

PROPERTY_NAMES: list[tuple[Json, list[str]]] = [
    ({"address": A}, ["Address"]),
    ({"billing_address": A}, ["BillingAddress"]),
    ({"HTTPOptions": A}, ["HTTPOptions"]),
    ({"addresses": array(A)}, ["Address"]),
    ({"data": array(A)}, ["DataItem"]),
    ({"labels": map_of(A)}, ["Label"]),
    ({"address": {"anyOf": [A, {"type": "null"}]}}, ["Address"]),
    ({"address": {"anyOf": [TEXT, A]}}, ["Address"]),
]

TITLES_AND_TAGS: list[tuple[Json, list[str]]] = [
    ({"address": obj("Postal address", a=TEXT)}, ["PostalAddress"]),
    ({"address": obj(LONG, a=TEXT)}, ["Address"]),
    ({"shape": one_of(tagged("circle"), tagged("square"))}, ["Circle", "Square"]),
    ({"shapes": array(one_of(tagged("circle"), tagged("square")))}, ["Circle", "Square"]),
    ({"shape": one_of(tagged("circle"), tagged("circle", r=TEXT))}, ["ShapeOption1", "ShapeOption2"]),
    ({"shape": one_of({**tagged("circle"), "title": "Round"}, tagged("square"))}, ["Round", "Square"]),
]  # fmt: skip

CONFLICTS: list[tuple[Json, list[str]]] = [
    ({"billing": obj(to=A), "shipping": obj(to=B)}, ["Billing", "BillingTo", "Shipping", "ShippingTo"]),
    ({"billing": obj(to=A), "shipping": obj(to=A)}, ["Billing", "Shipping", "To"]),
    ({"to": obj("Address", a=TEXT), "address": B}, ["Address", "OrderRequestAddress"]),
    ({"order_tool": A}, ["OrderRequestOrderTool"]),
    ({"to": obj(to=obj(to=A))}, ["OrderRequestTo", "OrderRequestToTo", "ToToTo"]),
]  # fmt: skip


@pytest.mark.parametrize(("properties", "names"), [*PROPERTY_NAMES, *TITLES_AND_TAGS, *CONFLICTS])
def test_the_names_of_classes(properties: Json, names: list[str]) -> None:
    assert named(properties) == names


@pytest.mark.parametrize(
    ("properties", "defs", "names"),
    [
        ({"to": ref("Address")}, {"Address": A}, ["Address"]),
        ({"to": ref("Address")}, {"Address": obj("Postal address", a=TEXT)}, ["PostalAddress"]),
        ({"to": ref("Address"), "address": B}, {"Address": A}, ["Address", "OrderRequestAddress"]),
        ({"shape": one_of(ref("Round"), tagged("square"))}, {"Round": tagged("circle")}, ["Round", "Shape"]),
    ],
)
def test_definitions_name_their_classes(properties: Json, defs: Json, names: list[str]) -> None:
    assert named(properties, **defs) == names


@pytest.mark.parametrize(
    ("request_", "response", "names"),
    [
        ({"line": A}, {"line": A}, ["Line"]),
        ({"line": A}, {"line": B}, ["Line", "OrderResponseLine"]),
        ({"line": A}, {"items": array(obj(line=B))}, ["Item", "ItemLine", "Line"]),
    ],
)
def test_equal_classes_of_request_and_response_are_one(
    request_: Json, response: Json, names: list[str]
) -> None:
    assert named(request_, response) == names


ORDER = {"customer": obj(address=A), "lines": array(obj(item=B, price=NUMBER))}
CHANGES = [
    {"note": obj(text=TEXT), **ORDER},
    {"lines": ORDER["lines"], "customer": ORDER["customer"]},
    {**ORDER, "customer": obj(account=obj(number=NUMBER), address=A)},
    {"order": obj(**ORDER)},
]


@pytest.mark.parametrize("changed", CHANGES)
def test_unrelated_changes_rename_no_class(changed: Json) -> None:
    assert {*named(ORDER)} == {"Address", "Customer", "Item", "Line"}
    assert {*named(ORDER)} <= {*named(changed)}
