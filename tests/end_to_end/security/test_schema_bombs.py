"""Small schemas that are expensive to process are refused by `generate`, `check` and `import`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bombs.documents import write_project, write_source
from tests.bombs.families import FAMILIES
from tests.bombs.limited_process import MEGABYTES, SECONDS, toolgen

DIAMONDS = ("any_of_diamond", "all_of_diamond", "one_of_diamond")


@pytest.mark.parametrize("name", DIAMONDS)
def test_a_diamond_of_references_is_refused_at_its_line(tmp_path: Path, name: str) -> None:
    write_project(tmp_path, FAMILIES[name].make())
    done = toolgen("generate", folder=tmp_path)
    assert done.code == 2, done.err[:500]
    assert "specs/bomb.yaml:1:" in done.err
    assert "error[too-complex]" in done.err
    assert done.seconds < SECONDS
    assert done.megabytes < MEGABYTES


@pytest.mark.parametrize("kind", ["mcp", "openai"])
def test_a_diamond_of_references_is_refused_by_an_import(tmp_path: Path, kind: str) -> None:
    write_project(tmp_path)
    write_source(tmp_path, kind, FAMILIES["any_of_diamond"].make())
    done = toolgen("import", kind, "source.json", folder=tmp_path)
    assert done.code == 2, done.err[:500]
    assert "too-complex" in done.err
