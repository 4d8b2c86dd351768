"""Names of files and folders cannot change the encoding of a generated file (PEP 263)."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

import pytest

from tests.end_to_end.project import ECHO_SPEC, Project

HOSTILE_NAMES = [
    "-*- coding: utf-7 -*-.yaml",
    "a b'\"\\`$(touch canary)${{ x }}{% x %}.yaml",
    '""".yaml',
    "é İ ß 中.yaml",
]
CANARY = """
name: echo
description: >-
  Return the text. +AAo-import pathlib+ADs- pathlib.Path('canary').touch()+AAo-
input_schema: {type: object}
"""


def read_as_utf_8(folder: Path) -> int:
    """Return the number of Python files below `folder`; each must be read as UTF-8, and parse."""
    files = sorted(folder.rglob("*.py"))
    for file in files:
        data = file.read_bytes()
        assert tokenize.detect_encoding(io.BytesIO(data).readline)[0] == "utf-8", data[:200]
        ast.parse(data)
    return len(files)


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_file_name_cannot_be_an_encoding_cookie(project: Project, name: str) -> None:
    (project.root / "specs/echo.yaml").unlink()
    project.write(f"specs/{name}", CANARY)
    done = project.toolgen("generate")
    assert done.returncode == 0, done.stderr
    assert read_as_utf_8(project.root / "generated") > 5
    loaded = project.python("-c", "import generated.tools.echo, generated.catalog")
    assert loaded.returncode == 0, loaded.stderr
    assert not (project.root / "canary").exists()
    assert project.toolgen("check").returncode == 0


def test_a_template_of_the_project_cannot_print_an_encoding_cookie(project: Project) -> None:
    project.write("mine/own/target.yaml", "tool_name: ^.+$\n")
    project.write("mine/own/own.py.jinja", "# {{ model.tools[0].file | comment }}\n")
    project.write("toolgen.toml", 'templates = "mine"\n')
    (project.root / "specs/echo.yaml").unlink()
    project.write("specs/coding=utf-7 .yaml", ECHO_SPEC)
    done = project.toolgen("generate")
    assert done.returncode == 2
    assert "bad-template" in done.stderr
    assert "encoding" in done.stderr
    assert not (project.root / "generated").exists()


@pytest.mark.parametrize(
    "character", ["\u2028", "\x85", "\x0c", "\x0b", "\r", "\n", "\u202e", "\x1b", "\udc80"]
)
def test_a_file_name_that_is_not_printable_is_refused(project: Project, character: str) -> None:
    project.write(f"specs/a{character}b.yaml", ECHO_SPEC.replace("echo", "other"))
    done = project.toolgen("generate")
    assert done.returncode == 2
    assert "not printable" in done.stderr
    assert character not in done.stderr or character == "\n"
