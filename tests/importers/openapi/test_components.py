"""`toolgen import openapi`: components of several operations are in one file of shared schemas."""

from __future__ import annotations

import copy
import json
from typing import Any

import yaml

from tests.cli.conftest import Cli
from tests.importers.openapi.conftest import document

PET: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "owner": {"$ref": "#/components/schemas/Owner"}},
    "required": ["name"],
}
OWNER: dict[str, Any] = {"type": "object", "properties": {"email": {"type": "string"}}}
BRAND: dict[str, Any] = {"type": "object", "properties": {"country": {"type": "string"}}}
TOY: dict[str, Any] = {"type": "object", "properties": {"brand": {"$ref": "#/components/schemas/Brand"}}}
FILE = "specs/schemas/shop.yaml"


def answers(name: str) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{name}"}
    return {"responses": {"200": {"description": "OK", "content": {"application/json": {"schema": schema}}}}}


def shop() -> dict[str, Any]:
    paths = {
        "/pet": {"get": {"operationId": "get_pet", "summary": "Get", **answers("Pet")}},
        "/best": {"get": {"operationId": "best_pet", "summary": "Best", **answers("Pet")}},
        "/toy": {"get": {"operationId": "get_toy", "summary": "Toy", **answers("Toy")}},
    }
    found = document(paths)
    found["info"]["title"] = "Shop"
    found["components"] = {"schemas": copy.deepcopy({"Pet": PET, "Owner": OWNER, "Toy": TOY, "Brand": BRAND})}
    return found


def do_import(project: Cli, data: dict[str, Any], *words: str) -> list[str]:
    (project.root / "api.json").write_text(json.dumps(data))
    done = project("import", "openapi", "api.json", *words)
    assert done.code == 0, done.err
    return done.out.split()


def read(project: Cli, path: str) -> Any:
    return yaml.safe_load((project.root / path).read_text())


def test_components_of_several_operations_are_shared(project: Cli) -> None:
    assert FILE in do_import(project, shop())
    assert read(project, FILE)["$defs"].keys() == {"Owner"}
    pet, toy = read(project, "specs/get_pet.yaml"), read(project, "specs/get_toy.yaml")
    assert pet["output_schema"]["properties"]["owner"] == {"$ref": "schemas/shop.yaml#/$defs/Owner"}
    assert "$defs" not in pet["output_schema"]
    assert toy["output_schema"]["properties"]["brand"] == {"$ref": "#/$defs/Brand"}
    assert project("generate").code == 0
    assert "class Owner(" in (project.root / "generated/models/shared/shop.py").read_text()


def test_a_sync_updates_the_shared_file_alone(project: Cli) -> None:
    data = shop()
    do_import(project, data)
    assert do_import(project, data, "--sync") == []
    data["components"]["schemas"]["Owner"]["properties"]["phone"] = {"type": "string"}
    assert do_import(project, data, "--sync") == [FILE]
    assert "phone" in read(project, FILE)["$defs"]["Owner"]["properties"]
