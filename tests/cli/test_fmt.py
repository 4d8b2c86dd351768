"""`toolgen fmt`: which files it writes, `--check`, stdin, files that it refuses."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest

from tests.cli.conftest import Cli

WRITTEN = "description: Return the orders.  # for models\nname: find_orders\ninput_schema: {type: object}\n"
FORMATTED = "name: find_orders\ndescription: Return the orders.  # for models\ninput_schema: {type: object}\n"


@pytest.fixture
def project(empty: Cli) -> Cli:
    (empty.root / "toolgen.toml").write_text('specs = "specs"\n')
    empty.spec("find_orders", WRITTEN)
    empty.spec("greet", FORMATTED.replace("find_orders", "greet"))
    return empty


def text_of(project: Cli, name: str = "find_orders") -> str:
    return (project.root / f"specs/{name}.yaml").read_text()


def test_all_specs_of_a_project_are_formatted(project: Cli) -> None:
    done = project("fmt")
    assert (done.code, done.out, done.err) == (0, "specs/find_orders.yaml\n", "2 files: 1 changed\n")
    assert text_of(project) == FORMATTED
    assert project("fmt").err == "2 files: all formatted\n"


def test_check_shows_a_diff_and_writes_nothing(project: Cli) -> None:
    done = project("fmt", "--check")
    assert done.code == 1
    assert "--- specs/find_orders.yaml\n" in done.out
    assert "+name: find_orders\n" in done.out
    assert text_of(project) == WRITTEN
    project("fmt")
    assert project("fmt", "--check").code == 0


def test_only_the_files_that_are_named(project: Cli) -> None:
    assert project("fmt", "specs/greet.yaml").out == ""
    assert text_of(project) == WRITTEN
    assert project("fmt", "specs/find_orders.yaml").out == "specs/find_orders.yaml\n"
    refused = project("fmt", "toolgen.toml")
    assert (refused.code, "is no spec of this project" in refused.err) == (2, True)


def test_nothing_is_written_if_one_file_is_no_yaml(project: Cli) -> None:
    project.spec("broken", "name: [a\n")
    project.spec("broken_too", "name: a\nname: b\n")
    done = project("fmt")
    assert done.code == 2
    assert "specs/broken.yaml:" in done.err
    assert "specs/broken_too.yaml:2:1: error[duplicate-key]" in done.err
    assert text_of(project) == WRITTEN


def formatted_stdin(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, content: bytes, *words: str
) -> tuple[int, bytes, str]:
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding="utf-8", newline="\n"))
    done = cli("fmt", "-", *words)
    return done.code, out.getvalue(), done.err


def test_stdin_is_a_filter(empty: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    text = WRITTEN.replace("orders.", "👩\u200d🍳 orders.").replace("\n", "\r\n")
    code, out, _ = formatted_stdin(empty, monkeypatch, text.encode())
    wanted = FORMATTED.replace("orders.", "👩\u200d🍳 orders.").replace("\n", "\r\n")
    assert (code, out.decode()) == (0, wanted)
