"""`--sync`: fields from the source are updated; what people wrote stays, comments included."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolgen.language.reading.read import read
from toolgen.language.yaml12.patch import merge_key_order, patch_yaml
from toolgen.language.yaml12.writer import write

from tests.cli.conftest import Cli, Done
from tests.importers.test_write import texts, values
from tests.samples import examples

SPEC = """\
# Imported by `toolgen import mcp`; with --sync, it follows its source.
# Texts as imported: description 320d8ab2, input_schema 4f53cda1
# A word about this tool.
toolgen: 1
name: search
description: Search.  # what the server says
use_when: Somebody looks for something.

# the arguments
input_schema:
  type: object
  properties:
    # what to look for
    q: {type: string}  # free text

    limit:
      type: integer
      # not too many
      maximum: 10
tags: [mine]
# the end
"""


def source(project: Cli, *tools: dict[str, Any]) -> None:
    (project.root / "s.json").write_text(json.dumps({"tools": tools}))


def search(**changes: Any) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {"q": {"type": "string"}, "limit": {"type": "integer", "maximum": 10}},
    }
    return {"name": "search", "description": "Search.", "inputSchema": schema, **changes}


@pytest.fixture
def imported(empty: Cli) -> Cli:
    """A project whose `search` was imported, and worked on since."""
    (empty.root / "toolgen.toml").write_text("")
    empty.spec("search", SPEC)
    return empty


@pytest.fixture
def project_of_imports(empty: Cli) -> Cli:
    """A project without specs."""
    (empty.root / "toolgen.toml").write_text("")
    return empty


def test_nothing_new_changes_nothing(imported: Cli) -> None:
    source(imported, search())
    done = imported("import", "mcp", "s.json", "--into", "specs", "--sync")
    assert (done.code, done.out) == (0, "")
    assert imported.tree("specs")["search.yaml"] == SPEC


def test_only_what_changed_is_written(imported: Cli) -> None:
    schema = {
        "type": "object",
        "properties": {"q": {"type": "string"}, "limit": {"type": "integer", "maximum": 20}, "all": {}},
    }
    source(imported, search(inputSchema=schema, title="Find"))
    done = imported("import", "mcp", "s.json", "--into", "specs", "--sync")
    assert done.code == 0, done.err
    assert "search: updated input_schema, targets, title" in done.err
    wanted = SPEC.replace("maximum: 10\n", "maximum: 20\n    all: {}\n").replace(
        "name: search\n", "name: search\ntitle: Find\n"
    )
    wanted = wanted.replace("imported: description", "imported: title 7ba0d7eb, description")
    wanted = wanted.replace("tags: [mine]\n", "targets:\n  mcp: {annotations_title: false}\ntags: [mine]\n")
    assert imported.tree("specs")["search.yaml"] == wanted
    (found,) = json.loads(imported("export", "mcp").out)["tools"]
    assert found["inputSchema"] == schema
    assert found["description"] == "Search.\n\nUse when: Somebody looks for something."


def test_new_tools_are_disabled_and_missing_ones_are_noted(imported: Cli) -> None:
    source(imported, {"name": "other", "description": "New.", "inputSchema": {"type": "object"}})
    done = imported("import", "mcp", "s.json", "--into", "specs", "--sync")
    assert done.code == 0
    assert "other: new, with enabled: false" in done.err
    assert "1 spec not in this import, and kept: search" in done.err
    assert "enabled: false\n" in imported.tree("specs")["other.yaml"]
    assert imported.tree("specs")["search.yaml"] == SPEC


def test_a_hand_written_spec_is_never_taken_over(imported: Cli) -> None:
    imported.spec("greet")
    source(imported, search(), {"name": "greet", "inputSchema": {"type": "object"}})
    before = imported.tree("specs")
    done = imported("import", "mcp", "s.json", "--into", "specs", "--sync")
    assert done.code == 2
    assert "specs/greet.yaml exists already" in done.err
    assert imported.tree("specs") == before


mappings = st.dictionaries(texts, values, min_size=1, max_size=5)


@settings(max_examples=examples(200), deadline=None)
@given(mappings, mappings, st.booleans())
def test_a_change_gives_what_was_wanted(old: dict[str, Any], other: dict[str, Any], nested: bool) -> None:
    wanted = {key: other.get(key, old.get(key)) for key in merge_key_order(list(old), [*old, *other])}
    if nested:
        old, wanted = {"k": old, "z": "a\n\n"}, {"k": wanted, "z": "a\n\n"}
    text = patch_yaml("# kept\n" + write(old) + "# behind\n", wanted)
    assert text.startswith("# kept\n")
    (found,) = read({"a.yaml": text})
    assert json.dumps(found.data) == json.dumps(wanted), text


def recorded(project: Cli, *tools: dict[str, Any]) -> str:
    """Import tools for the first time, and return the text of the first one's spec."""
    source(project, *tools)
    project("import", "mcp", "s.json", "--into", "specs")
    return project.tree("specs")["search.yaml"]


def test_a_text_that_changed_on_both_sides_is_kept_and_reported_once(project_of_imports: Cli) -> None:
    project = project_of_imports
    text = recorded(project, search())
    project.spec("search", text.replace("description: Search.", "description: Search the orders."))
    source(project, search(description="Find."))
    done = project("import", "mcp", "s.json", "--into", "specs", "--sync")
    assert (
        "search: texts of description differ from those of the source; those written by hand are kept"
        in done.err
    )
    assert "description: Search the orders.\n" in project.tree("specs")["search.yaml"]
    again = project("import", "mcp", "s.json", "--into", "specs", "--sync")
    assert (again.out, "by hand" in again.err) == ("", False)


def test_the_description_of_an_argument_is_kept_when_its_schema_changes(project_of_imports: Cli) -> None:
    project = project_of_imports
    old, new = search(), search()
    old["inputSchema"]["properties"]["q"]["description"] = "Query."
    new["inputSchema"]["properties"]["q"] |= {"description": "Query.", "maxLength": 80}
    text = recorded(project, old)
    project.spec("search", text.replace("Query.", "Words to look for."))
    source(project, new)
    project("import", "mcp", "s.json", "--into", "specs", "--sync")
    (spec,) = read({"search.yaml": project.tree("specs")["search.yaml"]})
    assert spec.data["input_schema"]["properties"]["q"] == {
        "type": "string",
        "description": "Words to look for.",
        "maxLength": 80,
    }


def openapi(*operations: dict[str, Any]) -> dict[str, Any]:
    return {"openapi": "3.1.0", "paths": {f"/{each['operationId']}": {"get": each} for each in operations}}


@pytest.mark.parametrize(
    ("kind", "source", "good", "bad"),
    [
        ("mcp", lambda *tools: {"tools": tools}, {"inputSchema": {"type": "object"}}, {"inputSchema": []}),
        ("openai", lambda *functions: functions, {"parameters": {}}, {"strict": "yes"}),
        ("openapi", openapi, {"responses": {}}, {"parameters": [{"in": "body", "name": "b"}]}),
    ],
)
def test_a_tool_that_cannot_be_read_costs_no_other_and_keeps_its_spec(
    project: Cli, kind: str, source: Callable[..., Any], good: dict[str, Any], bad: dict[str, Any]
) -> None:
    def run(second: dict[str, Any], *words: str) -> Done:
        tools = [{"name": name, "operationId": name, **data} for name, data in (("a", good), ("b", second))]
        (project.root / "source.json").write_text(json.dumps(source(*tools)))
        return project("import", kind, "source.json", *words)

    strict = run(bad, "--strict")
    assert (strict.code, strict.out, "left out b: " in strict.err) == (2, "", True)
    lenient = run(bad)
    assert (lenient.code, lenient.out, "left out b: source.json" in lenient.err) == (
        0,
        "specs/a.yaml\n",
        True,
    )
    assert run(good, "--sync").out == "specs/b.yaml\n"
    kept = run(bad, "--sync")
    assert (kept.code, kept.out) == (0, "")
    assert "b.yaml: kept as it is, since its tool cannot be read" in kept.err
    assert "not in this import" not in kept.err
