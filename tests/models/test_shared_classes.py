"""Which classes shared files have, in which modules, and how the models of tools use them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from toolgen.compile.models.shared_classes import ModuleClasses, SharedClasses, shared_classes
from toolgen.compile.pipeline import analyze, compile_project
from toolgen.compile.printing.lower import lower
from toolgen.compile.printing.models import tool_classes
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.identifiers import shared_module_name
from toolgen.language.package import PackageSettings

from tests.models.helpers import TARGETS

Json = dict[str, Any]
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def obj(**properties: Any) -> Json:
    return {"type": "object", "properties": properties}


def ref(place: str) -> Json:
    file, _, name = place.rpartition("#")
    return {"$ref": f"{file}#/$defs/{name}"}


def specs_of(files: Mapping[str, Json], properties: Json, response: Json | None = None) -> dict[str, bytes]:
    """Return a project of shared files, with their definitions, and one tool."""
    tool: Json = {"name": "order", "description": "d", "input_schema": obj(**properties)}
    if response is not None:
        tool["output_schema"] = response
    specs = {"order.yaml": tool, **{path: {"$defs": definitions} for path, definitions in files.items()}}
    return {path: json.dumps(data).encode() for path, data in specs.items()}


def shared_of(files: Mapping[str, Json]) -> SharedClasses:
    return shared_classes(analyze(specs_of(files, {}), TARGETS[:1]).shared)


def models_of(files: Mapping[str, Json], properties: Json, response: Json | None = None) -> ModuleClasses:
    """Return the classes in the models of the tool."""
    program = analyze(specs_of(files, properties, response), TARGETS[:1])
    (tool,) = lower(program, PackageSettings()).tools
    return tool_classes(tool, shared_classes(program.shared))


def imports_of(made: ModuleClasses) -> list[str]:
    return [f"{each.module}.{each.name} {name}" for name, each in made.imported.items()]


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("schemas/purchasing.yaml", "purchasing"),
        ("billing/common.yaml", "billing_common"),
        ("Billing/V2/Line-Items.yaml", "billing_v2_line_items"),
        ("schemas/住所.yaml", "住所"),
    ],
)
def test_the_module_of_a_shared_file_is_named_by_its_path(path: str, module: str) -> None:
    assert shared_module_name(path) == module


LINE, MONEY = obj(sku=TEXT), obj(amount=TEXT)
ONE = "schemas/one.yaml"

CLASSES: list[tuple[Json, list[str]]] = [
    ({"Line": LINE}, ["Line"]),
    ({"Lines": {"type": "array", "items": LINE}}, []),
    ({"Order": obj(lines={"type": "array", "items": ref("#Line")}), "Line": LINE}, ["Order", "Line"]),
    ({"order_line": LINE, "OrderLine": MONEY}, ["OneOrderLine2", "OneOrderLine3"]),
    ({"Node": obj(children={"type": "array", "items": ref("#Node")})}, ["Node"]),
    ({"Both": {"allOf": [ref("#Line"), MONEY]}, "Line": LINE}, ["Both", "Line"]),
]


@pytest.mark.parametrize(("definitions", "names"), CLASSES)
def test_every_definition_of_objects_is_a_class_of_its_module(definitions: Json, names: list[str]) -> None:
    assert sorted(shared_of({ONE: definitions}).modules[ONE].classes) == sorted(names)


TYPES: list[tuple[Json, list[str]]] = [
    ({"Sku": {**TEXT, "minLength": 1}}, ["Sku: TypeAlias = Annotated[str, Field(min_length=1)]"]),
    ({"Id": {"type": ["string", "integer"]}}, ["Id: TypeAlias = str | int"]),
    ({"Sku": TEXT, "Article": ref("#Sku")}, ["Sku: TypeAlias = str", "Article: TypeAlias = Sku"]),
    ({"Sku": TEXT, "Maybe": {"anyOf": [ref("#Sku"), {"type": "null"}]}}, ["Sku: TypeAlias = str", "Maybe: TypeAlias = Sku | None"]),
    ({"Lines": {"type": "array", "items": LINE}, "Self": {"type": "array", "items": ref("#Lines")}}, []),
]  # fmt: skip


@pytest.mark.parametrize(("definitions", "types"), TYPES)
def test_a_definition_without_classes_is_a_type_with_a_name(definitions: Json, types: list[str]) -> None:
    tree = compile_project(specs_of({ONE: definitions}, {}), TARGETS[:1], PackageSettings(), {}).tree
    lines = tree["models/shared/one.py"].split("\n")
    assert [line for line in lines if ": TypeAlias = " in line] == types


USES: list[tuple[Json, list[str], list[str]]] = [
    ({"a": ref(f"{ONE}#Line")}, ["Line"], []),
    ({"a": {**ref(f"{ONE}#Line"), "required": ["sku"]}}, [], ["A"]),
    ({"a": {**ref(f"{ONE}#Line"), "properties": {"b": TEXT}}}, [], ["A"]),
    ({"a": ref(f"{ONE}#Order")}, ["Order"], []),
    ({"line": obj(other=TEXT), "b": ref(f"{ONE}#Line")}, ["Line"], ["OrderRequestLine"]),
    ({"a": {"$ref": f"{ONE}#/$defs/Order/properties/address"}}, [], ["A"]),
]  # fmt: skip


@pytest.mark.parametrize(("properties", "imported", "own"), USES)
def test_a_reference_is_the_shared_class_unless_it_is_constrained(
    properties: Json, imported: list[str], own: list[str]
) -> None:
    definitions = {
        "Line": LINE,
        "Sku": TEXT,
        "Lines": {"type": "array", "items": ref("#Line")},
        "Order": obj(line=ref("#Line"), address=obj(city=TEXT)),
        "OrderRequest": obj(a=NUMBER),
    }
    made = models_of({ONE: definitions}, properties)
    assert sorted(made.imported) == imported
    assert sorted(made.classes.keys() - {"OrderRequest"}) == own


def test_files_in_a_circle_have_their_classes_in_one_module() -> None:
    files = {
        "schemas/b.yaml": {"B": obj(a=ref("a.yaml#A")), "Money": MONEY},
        "schemas/a.yaml": {"A": obj(b=ref("b.yaml#B")), "Money": LINE},
        "schemas/c.yaml": {"C": obj(b=ref("b.yaml#B"))},
    }
    shared = shared_of(files)
    assert sorted(shared.modules["schemas/a.yaml"].classes) == ["A", "AMoney", "B", "BMoney"]
    assert imports_of(shared.modules["schemas/b.yaml"]) == [".a.B B", ".a.BMoney BMoney"]
    assert shared.modules["schemas/b.yaml"].exported == ("B", "BMoney")
    assert imports_of(shared.modules["schemas/c.yaml"]) == [".b.B B"]
    made = models_of(files, {"a": ref("schemas/a.yaml#A"), "b": ref("schemas/b.yaml#B")})
    assert imports_of(made) == [".shared.a.A A", ".shared.b.B B"]


def test_two_files_that_want_one_module_are_refused() -> None:
    specs = specs_of({"schemas/orders.yaml": {"A": LINE}, "types/orders.yaml": {"B": LINE}}, {})
    with pytest.raises(SpecErrors) as caught:
        compile_project(specs, TARGETS[:1], PackageSettings(), {})
    (fault,) = caught.value.diagnostics
    assert (fault.code, fault.span.file) == ("name-collision", "specs/types/orders.yaml")


def test_a_new_tool_changes_no_shared_module() -> None:
    specs = specs_of({ONE: {"Line": LINE, "Sku": TEXT, "Unused": MONEY}}, {"a": ref(f"{ONE}#Line")})
    cache: dict[str, bytes] = {}
    before = compile_project(specs, TARGETS[:1], PackageSettings(), cache).tree
    another = {"name": "bill", "description": "d", "input_schema": obj(a=ref(f"{ONE}#Unused"))}
    specs["bill.yaml"] = json.dumps(another).encode()
    after = compile_project(specs, TARGETS[:1], PackageSettings(), cache).tree
    assert "class Unused(BaseModel):" in before["models/shared/one.py"]
    assert after["models/shared/one.py"] == before["models/shared/one.py"]
    assert "from .shared.one import Unused\n" in after["models/bill.py"]
