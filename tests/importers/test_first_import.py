"""An import where there is no project: it makes one, as `toolgen new` does, if there is something to write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli

MADE = "made a project, as `toolgen init` does: toolgen.toml and 8 other files\n"
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://pets.example"}],
    "paths": {
        "/pets": {
            "get": {
                "operationId": "list_pets",
                "summary": "List the pets.",
                "responses": {"200": {"description": "Pets."}},
            }
        }
    },
}
TOOL = {"name": "find", "description": "Find.", "inputSchema": {"type": "object"}}


def write(cli: Cli, name: str, data: Any) -> None:
    (cli.root / name).write_text(data if isinstance(data, str) else json.dumps(data))


def files(root: Path) -> list[str]:
    return sorted(each.name for each in root.iterdir() if each.name != "__pycache__")


def test_an_api_is_imported_into_an_empty_folder(empty: Cli) -> None:
    write(empty, "openapi.json", DOCUMENT)
    done = empty.process("import", "openapi", "openapi.json", "--implement")
    assert (done.code, done.out.split()) == (0, ["specs/list_pets.yaml", "tools/list_pets.py"]), done.err
    assert MADE in done.err
    assert empty.process("generate").code == 0
    assert empty.process("check", "--implementations").code == 0
    assert empty("init").err.count("kept ") == 9, "the same files"
    assert MADE not in empty("import", "openapi", "openapi.json", "--sync").err


def test_a_project_in_pyproject_is_made_there(empty: Cli) -> None:
    write(empty, "pyproject.toml", '[project]\nname = "pets"\nversion = "2.0"')
    write(empty, "tools.json", [TOOL])
    done = empty("import", "mcp", "tools.json")
    assert done.err.startswith("made a project, as `toolgen init` does: pyproject.toml and "), done.err
    assert empty("generate").code == 0


@pytest.mark.parametrize("words", [[], ["--implement"], ["--strict"]])
@pytest.mark.parametrize("text", ["{", '{"openapi": "3.1.0", "info": {}, "paths": {}}'])
def test_a_source_without_tools_leaves_nothing(empty: Cli, words: list[str], text: str) -> None:
    write(empty, "openapi.json", text)
    done = empty("import", "openapi", "openapi.json", *words)
    assert MADE not in done.err
    assert files(empty.root) == [".git", "openapi.json"]


def test_a_spec_that_exists_leaves_nothing(empty: Cli) -> None:
    write(empty, "tools.json", [TOOL])
    empty.spec("find", "name: find\n")
    assert empty("import", "mcp", "tools.json").code == 2
    assert files(empty.root) == [".git", "specs", "tools.json"]


def test_a_folder_of_specs_needs_no_project(empty: Cli) -> None:
    write(empty, "tools.json", [TOOL])
    assert empty("import", "mcp", "tools.json", "--into", "specs").code == 0
    assert files(empty.root) == [".git", "specs", "tools.json"]
