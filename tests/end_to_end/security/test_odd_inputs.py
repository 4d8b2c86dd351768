"""Pipes, large files, long chains, long enums and odd names are refused with a diagnostic, or generated."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.bombs.documents import write_project
from tests.bombs.families import FAMILIES
from tests.bombs.limited_process import toolgen


@pytest.mark.parametrize("verb", ["generate", "check"])
def test_a_pipe_is_refused_as_a_spec(tmp_path: Path, verb: str) -> None:
    write_project(tmp_path, {"type": "object"})
    os.mkfifo(tmp_path / "specs/odd.yaml")
    done = toolgen(verb, folder=tmp_path)
    assert done.code == 2
    assert "unreadable-spec" in done.err


def test_a_spec_of_many_megabytes_is_refused_unread(tmp_path: Path) -> None:
    write_project(tmp_path)
    (tmp_path / "specs/bomb.yaml").write_text("name: bomb\ndescription: " + "x" * 30_000_000)
    done = toolgen("generate", folder=tmp_path)
    assert done.code == 2
    assert "too-complex" in done.err
    assert done.megabytes < 150


@pytest.mark.parametrize("name", ["ref_chain", "long_enum"])
def test_too_long_chains_and_enums_are_refused_at_their_line(tmp_path: Path, name: str) -> None:
    write_project(tmp_path, FAMILIES[name].make())
    done = toolgen("generate", folder=tmp_path)
    assert done.code == 2, done.err[:500]
    assert "specs/bomb.yaml:1:" in done.err
    assert "error[too-complex]" in done.err


def test_a_property_whose_name_grows_in_lower_case_is_generated(tmp_path: Path) -> None:
    write_project(
        tmp_path, {"type": "object", "properties": {"İ": {"type": "string"}, "नाम": {"type": "string"}}}
    )
    done = toolgen("generate", folder=tmp_path)
    assert done.code == 0, done.err
