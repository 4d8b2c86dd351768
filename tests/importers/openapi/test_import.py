"""`toolgen import openapi`: which operations, names and other fields of their specs; documents that are refused."""

from __future__ import annotations

import copy
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from toolgen.sources.imported_tool import SourceError

from tests.cli.conftest import Cli
from tests.importers.openapi.conftest import Api, document
from tests.importers.openapi.test_schemas import imported

OK: dict[str, Any] = {"responses": {"200": {"description": "OK"}}}
PATHS = {
    "/pets": {
        "get": {"operationId": "pets/list", "summary": "List pets", "tags": ["pets"], **OK},
        "post": {"operationId": "pets/create", "description": "Create one.", "tags": ["pets", "write"], **OK},
    },
    "/pets/{id}": {
        "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
        "get": {**OK},
        "delete": {"operationId": "drop", "deprecated": True, "tags": ["write"], **OK},
        "put": {"operationId": "operation", "tags": ["write"], **OK},
    },
}


def test_names_descriptions_and_annotations_of_operations() -> None:
    listed, created, got, dropped, put = imported(document(PATHS))
    assert [tool.name for tool in (listed, created, got, dropped, put)] == [
        "pets_list", "pets_create", "get_pets_id", "drop", "operation",
    ]  # fmt: skip
    assert listed.fields["aliases"] == ["pets/list"]
    assert (listed.fields["title"], listed.fields["description"]) == ("List pets", "List pets")
    assert created.fields["description"] == "Create one."
    assert got.fields["description"] == "GET /pets/{id}"
    assert (
        "get_pets_id: has neither summary nor description; write one, since models choose tools by it"
        in got.notes
    )
    assert dropped.fields["deprecated"]
    assert [tool.fields["annotations"] for tool in (listed, created, dropped, put)] == [
        {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True},
        {"readOnlyHint": False, "idempotentHint": False, "openWorldHint": True},
        {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": True},
        {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": True},
    ]


@pytest.mark.parametrize(
    ("include", "exclude", "names"),
    [
        (["pets/*"], [], ["pets_list", "pets_create"]),
        (["GET *"], [], ["pets_list", "get_pets_id"]),
        (["write"], [], ["pets_create", "drop", "operation"]),
        (["/pets/{id}"], ["drop", "PUT *"], ["get_pets_id"]),
        ([], ["pets", "write"], ["get_pets_id"]),
    ],
)
def test_include_and_exclude_patterns(include: list[str], exclude: list[str], names: list[str]) -> None:
    assert [tool.name for tool in imported(document(PATHS), include=include, exclude=exclude)] == names


def test_operations_are_listed_before_any_is_imported(empty: Cli) -> None:
    (empty.root / "api.json").write_text(json.dumps(document(PATHS)))
    (empty.root / "toolgen.toml").unlink(missing_ok=True)
    done = empty("import", "openapi", "api.json", "--list")
    assert (done.code, done.err) == (0, "5 operations\n")
    assert done.out.splitlines()[0] == "pets/list      GET /pets  List pets"
    assert "get_pets/{id}  GET /pets/{id}" in done.out.splitlines()
    some = empty(
        "import", "openapi", "api.json", "--list", "--include", "write", "--max", "2", "--format", "json"
    )
    assert [each["name"] for each in json.loads(some.out)] == ["pets/create", "drop"]
    assert json.loads(some.out)[1] == {
        "name": "drop", "method": "DELETE", "path": "/pets/{id}", "summary": "", "tags": ["write"]
    }  # fmt: skip
    assert list(empty.tree("")) == ["api.json"], "nothing was written"


def test_only_the_first_operations_are_imported(project: Cli) -> None:
    (project.root / "api.json").write_text(json.dumps(document(PATHS)))
    done = project("import", "openapi", "api.json", "--max", "2")
    assert done.code == 0
    assert {"specs/pets_list.yaml", "specs/pets_create.yaml"} == set(done.out.split())
    assert "3 of 5 operations were left out" in done.err
    assert project("import", "openapi", "api.json", "--max", "0").code == 2
    assert imported(document(PATHS), include=["write"], most=9)[0].name == "pets_create"


def test_bodies_that_cannot_be_split_are_one_property() -> None:
    def posted(schema: Any, required: bool = True) -> Any:
        content = {"application/json": {"schema": schema}}
        (tool,) = imported(
            document({"/": {"post": {"requestBody": {"required": required, "content": content}, **OK}}})
        )
        return tool.fields["input_schema"]

    a, b = {"a": {"type": "string"}}, {"b": {"type": "string"}}
    flat = posted({"allOf": [{"properties": a, "required": ["a"]}, {"type": "object", "properties": b}]})
    assert (list(flat["properties"]), flat["required"]) == (["a", "b"], ["a"])
    assert posted({"properties": a, "additionalProperties": {"type": "integer"}})["additionalProperties"] == {
        "type": "integer"
    }
    assert posted({"properties": a})["additionalProperties"] is False
    for schema in (
        {"properties": a, "anyOf": [{"required": ["a"]}]},
        {"type": "object", "properties": a, "minProperties": 1},
        {"type": "object"},
        {"allOf": [{"properties": a}, {"properties": a}]},
        {"allOf": [{"properties": a, "additionalProperties": False}, {"properties": b}]},
        {"properties": a, "required": ["z"]},
        {"type": ["object", "null"], "properties": a},
    ):
        assert list(posted(schema)["properties"]) == ["body"]
    assert list(posted({"properties": a, "required": ["a"]}, required=False)["properties"]) == ["body"]


def write(cli: Cli, name: str, data: Any) -> Path:
    path = cli.root / name
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return path


@pytest.mark.parametrize("kind", ["json", "yaml", "gz", "stdin"])
def test_a_document_can_be_json_yaml_gzipped_or_from_stdin(project: Cli, kind: str) -> None:
    data = document(copy.deepcopy(PATHS))
    text = json.dumps(data)
    if kind == "stdin":
        done = project.process("import", "openapi", "-", stdin=text)
    else:
        made = {
            "json": text.encode(),
            "yaml": yaml.safe_dump(data).encode(),
            "gz": gzip.compress(text.encode()),
        }
        write(project, "api", made[kind])
        done = project("import", "openapi", "api")
    assert done.code == 0, done.err
    assert len(done.out.splitlines()) == 5
    assert project("generate").code == 0


def test_a_document_is_read_from_a_url(project: Cli, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    api.answer(200, {**document({"/x": {"get": {"operationId": "x", **OK}}}), "servers": [{"url": "/v2"}]})
    done = project("import", "openapi", f"{api.url}/docs/api.json")
    assert done.code == 0, done.err
    spec = yaml.safe_load((project.root / "specs" / "x.yaml").read_text())
    assert spec["x-openapi"]["server"] == f"{api.url}/v2"
    for status in (404, 500):
        api.answer(status, {})
        done = project("import", "openapi", f"{api.url}/docs/api.json", "--into", "other")
        assert (done.code, f"the server answers {status}" in done.err) == (2, True)
    assert project("import", "openapi", "http://127.0.0.1:9/x").code == 2
    assert not (project.root / "other").exists()


def test_links_out_of_the_folder_are_refused(project: Cli, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"type": "string"}')
    (project.root / "link.json").symlink_to(tmp_path / "secret.json")
    write(project, "api.json", document({"/": {"get": {"parameters": [{"$ref": "link.json"}], **OK}}}))
    done = project("import", "openapi", "api.json")
    assert done.code == 2
    assert "a link that leaves its folder" in done.err


def test_compressed_documents_are_counted_after_decompression(project: Cli, api: Api) -> None:
    bomb = gzip.compress(b" " * 70_000_000, mtime=0)
    api.answers.append((200, {"Content-Encoding": "gzip"}, bomb))
    write(project, "api", bomb)
    for source in (f"{api.url}/api.json", "api"):
        done = project("import", "openapi", source)
        assert (done.code, done.out) == (2, "")
        assert "error[too-complex]" in done.err
        assert "more than 64 MB" in done.err
        assert "Traceback" not in done.err
    text = json.dumps(document(PATHS)).encode()
    api.answers.append((200, {"Content-Encoding": "gzip"}, gzip.compress(text)))
    assert project("import", "openapi", f"{api.url}/api.json").code == 0
    api.answers.append((200, {"Content-Encoding": "gzip"}, gzip.compress(text)[:-9]))
    done = project("import", "openapi", f"{api.url}/api.json", "--into", "more")
    assert (done.code, "the gzip data is truncated" in done.err) == (2, True)


def test_sync_updates_an_earlier_import(project: Cli) -> None:
    data = document(copy.deepcopy(PATHS))
    write(project, "api.json", data)
    assert project("import", "openapi", "api.json").code == 0
    spec = project.root / "specs" / "pets_list.yaml"
    spec.write_text(spec.read_text().replace("timeout: 60", "timeout: 5  # quick"))
    assert project("import", "openapi", "api.json", "--sync").out == ""
    data["paths"]["/pets"]["get"]["summary"] = "List all pets"
    data["paths"]["/new"] = {"get": {"operationId": "new", **OK}}
    del data["paths"]["/pets"]["post"]
    write(project, "api.json", data)
    done = project("import", "openapi", "api.json", "--sync")
    assert done.out.split() == ["specs/pets_list.yaml", "specs/new.yaml"]
    assert "title: List all pets" in spec.read_text()
    assert "timeout: 5  # quick" in spec.read_text()
    assert "enabled: false" in (project.root / "specs" / "new.yaml").read_text()
    assert "1 spec not in this import, and kept: pets_create" in done.err


def test_sync_finds_a_renamed_spec_by_its_operation(project: Cli) -> None:
    data = document(copy.deepcopy(PATHS))
    write(project, "api.json", data)
    assert project("import", "openapi", "api.json").code == 0
    old, new = project.root / "specs" / "pets_list.yaml", project.root / "specs" / "list_pets.yaml"
    new.write_text(re.sub(r"^name: .*$", "name: list_pets", old.read_text(), flags=re.MULTILINE))
    old.unlink()
    data["paths"]["/pets"]["get"]["summary"] = "List all pets"
    write(project, "api.json", data)
    done = project("import", "openapi", "api.json", "--sync")
    assert done.out.split() == ["specs/list_pets.yaml"]
    assert "title: List all pets" in new.read_text()
    assert "\nname: list_pets\n" in new.read_text()


def test_implementations_are_never_replaced(project: Cli) -> None:
    write(project, "api.json", document(PATHS))
    (project.root / "work").mkdir()
    mine = project.root / "work" / "drop.py"
    mine.write_text("# mine\n")
    done = project("import", "openapi", "api.json", "--implement")
    assert done.code == 0
    assert mine.read_text() == "# mine\n"
    assert "class PetsList(HttpTool, PetsListTool):" in (project.root / "work" / "pets_list.py").read_text()
    assert "work/drop.py" not in done.out


BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (c, c, b",".join([b"*%c" % (c - 1)] * 9)) for c in range(ord("b"), ord("j"))
)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"openapi": "3.1.0", "paths": {', "ends inside a value"),
        (b"a: " + b"[" * 10_000, "nested more than 200 deep"),
        (BOMB, "api:6:8: the aliases of this file expand to more than 100,000 values"),
        (b'{"swagger": "2.0"}', "api:1:2 (#/swagger): Swagger 2.0"),
        (b'{"openapi": "3.1.0",\n\t"x": "\\ud83d\\ude00", "paths": []}', "api:2:23 (#/paths): must be"),
        (b'{"openapi": "3.1.0", "paths": [%s1]}' % (b"1," * 1_000_000), "api (#/paths): must be an object"),
        (b'{"openapi": "3.1.0",\n "paths": {},\n "paths": {}}', "api:3:2: 'paths' is written twice"),
        (b'{"openapi": "3.1.0", "paths": []}', "api:1:22 (#/paths): must be an object"),
        (b'{"openapi": "3.1.0", "paths": {"/": {"$ref": "#/paths/~1"}}}', "refers back to itself"),
        (b'{"openapi": "3.1.0", "paths": {"/": {"get": {"security": [{"x": []}]}}}}', "refers to nothing"),
    ],
)  # fmt: skip
def test_invalid_documents_are_refused(project: Cli, data: bytes, why: str) -> None:
    write(project, "api", data)
    before = project.tree(".")
    done = project("import", "openapi", "api")
    assert (done.code, done.out) == (2, "")
    assert why in done.err
    assert "Traceback" not in done.err
    assert project.tree(".") == before


def test_parameters_that_cannot_be_sent_are_left_out() -> None:
    parameters = [
        {"name": "X A", "in": "header", "schema": {}},
        {"name": "Host", "in": "header", "schema": {}},
        {"name": "_id", "in": "query", "schema": {}},
        {"name": "$top", "in": "query", "schema": {}},
        {"name": "[]", "in": "query", "schema": {}},
    ]
    (tool,) = imported(document({"/": {"get": {"parameters": parameters, **OK}}}))
    assert list(tool.fields["input_schema"]["properties"]) == ["_id", "top", "query"]
    assert sum("left out" in note for note in tool.notes) == 2
    with pytest.raises(SourceError, match="not a valid name of an HTTP method"):
        imported(document({"/": {"additionalOperations": {"A B": OK}}}, "3.2.0"))


@pytest.mark.parametrize(
    ("parts", "has"),
    [
        (
            {"components": {"schemas": {"A": {}, "B": {}}}},
            r"\(#/paths\): there are no operations to import, only 2 s",
        ),
        (
            {"paths": None, "webhooks": {"new": {"post": OK}}},
            r"only 1 webhook \(which the API calls\) and 0 ",
        ),
        ({"paths": {"/a": {"summary": "A"}, "x-b": {"get": OK}}}, "only 0 schemas"),
    ],
)
def test_a_document_without_operations_is_refused(parts: dict[str, Any], has: str) -> None:
    with pytest.raises(SourceError, match=has):
        imported({**document({}), **parts})
