"""`.toolgen.schema.json` after an upgrade: `check` says that it is old, `generate` renews it."""

from __future__ import annotations

import json
import os

import pytest

from tests.cli.conftest import Cli


@pytest.fixture
def project(empty: Cli) -> Cli:
    empty("init")
    empty.spec("greet")
    empty("generate")
    return empty


def test_an_old_schema_is_found_and_renewed(project: Cli) -> None:
    path = project.root / "specs/.toolgen.schema.json"
    current = path.read_text()
    assert project("check").code == 0
    path.write_text('{"title": "of an older version"}\n')
    stale = project("check")
    assert stale.code == 1
    assert stale.out.startswith("CHANGED specs/.toolgen.schema.json\n")
    report = json.loads(project("check", "--format", "json").out)
    assert ([each["path"] for each in report["changes"]], report["clean"]) == (
        ["specs/.toolgen.schema.json"],
        False,
    )
    assert "renewed specs/.toolgen.schema.json, by which editors check specs" in project("generate").err
    assert path.read_text() == current
    assert project("check").code == 0
    assert "renewed" not in project("generate").err


def test_a_project_without_it_gets_none_and_a_link_is_left_alone(project: Cli) -> None:
    path = project.root / "specs/.toolgen.schema.json"
    path.unlink()
    assert project("check").code == 0
    assert "renewed" not in project("generate").err
    assert not path.exists()
    (project.root / "other.json").write_text("{}")
    os.symlink("../other.json", path)
    assert project("check").code == 0
    assert "renewed" not in project("generate").err
    assert (project.root / "other.json").read_text() == "{}"
