"""`toolgen import mcp`: every tool that a server lists is imported, generated and published unchanged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.samples import load_beside
from tools.corpus.mcp import ERAS, KEYS, difference, listed
from tools.corpus.project import project as corpus_project

OBJECT: dict[str, Any] = {"type": "object"}


def tool(name: str = "t", **keys: Any) -> dict[str, Any]:
    return {"name": name, "description": "Does it.", "inputSchema": OBJECT, **keys}


SCHEMAS: dict[str, dict[str, Any]] = load_beside(__file__, "imported_schemas.yaml")

TOOLS: list[dict[str, Any]] = [
    *(tool(f"in_{name}", inputSchema=schema) for name, schema in SCHEMAS.items()),
    *(tool(f"out_{name}", outputSchema=schema) for name, schema in SCHEMAS.items()),
    tool("out_list", outputSchema={"type": "array", "items": {"type": "integer"}}),
    tool("out_list_faulty", outputSchema={"type": "list", "items": {"type": "integer", "minimum": "x"}}),
    {"name": "bare", "inputSchema": OBJECT},
    {"inputSchema": OBJECT, "description": "", "name": "order"},
    tool("spaces", description="  two\n\n lines \n\n"),
    tool("odd_text", description="a\tb\r\nc\x07\u2028d\x85 😀\n  e: {f}\n# g"),
    tool("titled", title="A title"),
    tool("titled_twice", title="A title", annotations={"title": "A title"}),
    tool("titled_otherwise", title="A title", annotations={"readOnlyHint": True, "title": "Another"}),
    tool("titled_last", title="A title", annotations={"readOnlyHint": True, "title": "A title"}),
    tool("titled_inside", annotations={"title": "A title", "x": {"y": [1]}}),
    tool("empties", title="", annotations={}, icons=[], _meta={}),
    tool("odd_hints", title="T", annotations={"readOnlyHint": "yes", "destructiveHint": False, "z": None}),
    tool("icons", icons=[{"mimeType": "image/png", "src": "https://x.example/i.png", "sizes": ["any"], "theme": "dark"}]),
    tool("odd_icons", icons=[{"src": "", "mimeType": None}]),
    tool("errors", _meta={"toolgen/errors": [{"code": "gone", "description": "It is gone."}], "a": 1}),
    tool("errors_twice", _meta={"toolgen/errors": [{"code": "gone", "description": "It is gone."}] * 2}),
    tool("errors_of_others", _meta={"toolgen/errors": {"gone": 1}}),
    tool("meta", _meta={"a/b": {"c": None, "on": [True, 1.0, 1e22]}}),
    tool("execution", execution={"taskSupport": "optional"}, somethingElse={"a": None}),
    *(tool(name) for name in ("a.b", "a/b", "a b", "a-b", "a_b", "AB", "aB", "9lives", "über", "x" * 90, "class", "_", "-")),
    *(tool(name) for name in ("base", "base_tool", "list", "TOOLS", "__init__", "con", "yes", "get_x2", "get_x_2")),
]  # fmt: skip


UNREADABLE = {
    ("in_bad_required", "inputSchema"), ("odd_hints", "annotations"),
    ("in_nulls", "inputSchema"), ("out_bad_required", "outputSchema"),
    ("out_nulls", "outputSchema"), ("in_dangling", "inputSchema"), ("odd_icons", "icons"),
    *((f"out_{name}", "outputSchema") for name in (
        "pattern", "python_pattern", "wild_types", "unknown_type", "required_flag", "bad_keywords", "dangling",
        "looping", "draft_4", "list_faulty",
    )),
}  # fmt: skip
"""What clients cannot read, so that they refuse the whole list: servers publish the repaired schema."""


def as_object(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "type": "object"} if "type" in schema else {"type": "object", **schema}


def published(tools: Sequence[dict[str, Any]]) -> list[str]:
    """Return all differences between a source and what is published."""
    lost = []
    with corpus_project("imported_tools") as made:
        made.take("mcp", tools)
        ways = {era: listed(made.module("mcp_server").build_server(), era) for era in ERAS}
        ways["export"] = made.export()
        for way, found in ways.items():
            by_name = {one["name"]: one for one in found}
            for source in tools:
                keys = tuple(source) if way == "export" else [key for key in KEYS if key in source]
                if way != "export":  # servers add `type: object`, which clients require
                    source = {**source, "inputSchema": as_object(source["inputSchema"])}
                    keys = [key for key in keys if (source["name"], key) not in UNREADABLE]
                if way == "legacy" and source.get("outputSchema", OBJECT).get("type") != "object":
                    keys = [key for key in keys if key != "outputSchema"]
                    source = {key: value for key, value in source.items() if key != "outputSchema"}
                if how := difference(source, by_name.get(source["name"]), keys):
                    lost.append(f"{source['name']} {way} {how}")
            assert len(found) == len(tools)
    return lost


def test_every_tool_is_published_unchanged() -> None:
    assert published(TOOLS) == []


def test_faulty_keywords_are_removed_and_the_original_is_carried(project: Cli) -> None:
    (project.root / "s.json").write_text(json.dumps([tool("t", inputSchema=SCHEMAS["pattern"])]))
    done = project("import", "mcp", "s.json", "--into", "specs")
    assert done.code == 0
    assert "t: input_schema/properties/a/pattern: the pattern '(' is not a regular expression" in done.err
    text = (project.root / "specs" / "t.yaml").read_text()
    head, _, carried = text.partition("x-mcp:")
    assert "minLength: 2" in head
    assert "pattern" not in head
    assert "pattern: (" in carried


def test_misspelt_hints_and_required_names_of_a_server_are_carried(project: Cli) -> None:
    schema = {"type": "object", "required": ["make", "yer", "gaer"]}
    schema["properties"] = {"make": {}, "year": {}, "gear": {}}
    hints = {"readonlyHint": True, "idempotentHint": True}
    (project.root / "s.json").write_text(json.dumps([tool("t", inputSchema=schema, annotations=hints)]))
    done = project("import", "mcp", "s.json", "--into", "specs")
    assert done.code == 0, done.err
    assert "input_schema/required/1: 'yer' is required, and no property has this name" in done.err
    head, _, carried = (project.root / "specs" / "t.yaml").read_text().partition("x-mcp:")
    assert "make" in head.partition("properties:")[0]
    for name in ("yer", "gaer", "readonlyHint"):
        assert name not in head
        assert name in carried


def test_a_renamed_tool_is_noted_and_answers_to_its_old_name(project: Cli) -> None:
    (project.root / "s.json").write_text(
        json.dumps([tool("a.b"), tool("a_b"), tool("a.b", description="Other.")])
    )
    done = project("import", "mcp", "s.json", "--into", "specs/more")
    assert done.code == 0
    assert sorted(project.tree("specs/more")) == ["a_b.yaml", "a_b_2.yaml", "a_b_3.yaml"]
    assert "aliases: [a.b]" in project.tree("specs/more")["a_b_2.yaml"]
    assert "a_b_2: renamed from 'a.b'; still published and called as 'a.b'" in done.err
    assert "a_b_3: renamed from 'a.b', the name of another tool" in done.err


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool("x")]}}),
        "\ufeff" + json.dumps([tool("x")], indent=1),
        json.dumps({**tool("x"), "source": "here"})
        + "\n\n"
        + json.dumps({**tool("y"), "source": "there"})
        + "\n",
    ],
)
def test_every_form_of_a_tool_list_is_read(empty: Cli, text: str) -> None:
    (empty.root / "s").write_text(text, encoding="utf-8")
    done = empty("import", "mcp", "s", "--into", "tools")
    assert done.code == 0, done.err
    assert "x.yaml" in empty.tree("tools")
    assert "source:" not in empty.tree("tools")["x.yaml"]


BAD = {
    "no_name": (b'[{"description": "a"}]', "without a name"),
    "no_tools": (b'{"tools": []}', "has no tools"),
    "schema_text": (b'[{"name": "a", "inputSchema": "b"}]', "must be an object"),
    "part": (b'{"tools": [], "nextCursor": "2"}', "the list is incomplete"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_sources_write_nothing(empty: Cli, case: str) -> None:
    data, words = BAD[case]
    (empty.root / "s.json").write_bytes(data)
    done = empty("import", "mcp", "s.json", "--into", "specs")
    assert (done.code, done.out) == (2, "")
    assert "error[bad-source]" in done.err
    assert words in done.err
    assert not (empty.root / "specs").exists()


def test_names_with_paths_stay_below(empty: Cli) -> None:
    (empty.root / "s.json").write_text(json.dumps([tool("../../etc/passwd"), tool("/abs"), tool("..")]))
    assert empty("import", "mcp", "s.json", "--into", "specs").code == 0
    assert "abs.yaml" in empty.tree("specs")
    assert {p.name for p in empty.root.iterdir()} == {".git", "s.json", "specs"}
