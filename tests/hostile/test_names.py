"""Hostile names of files and folders: every output is read as UTF-8, contains the name as text, and runs nothing of it."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Mapping

from hypothesis import example, given, settings
from hypothesis import strategies as st
from toolgen.compile.pipeline import compile_project
from toolgen.compile.python_source.literals import comment, docstring, is_read_as_utf_8, literal
from toolgen.language.package import PackageSettings

from tests.models.helpers import TARGETS
from tests.samples import examples
from tools.fuzz.strings import PIECES

SPEC = """
name: echo
description: Return the text.
input_schema: {type: object, properties: {text: {type: string}}}
"""
NAMES = st.lists(
    st.sampled_from(PIECES) | st.text(max_size=5).filter(lambda text: text.isprintable()), max_size=6
).map("".join)
PRINTABLE = NAMES.map(lambda text: "".join(char for char in text if char.isprintable() and char != "/"))
CACHE: dict[str, bytes] = {}


def generated(folder: str, name: str) -> Mapping[str, str]:
    """Return every output of a spec with this name in a folder with this name."""
    settings_ = PackageSettings("generated", None, folder or "specs", True)
    return compile_project({f"{name}.yaml": SPEC}, TARGETS, settings_, CACHE).tree


PLAIN = generated("specs", "plain")


@settings(max_examples=examples(40))
@given(folder=PRINTABLE, name=PRINTABLE)
@example(folder="coding=utf-7 ", name="coding=utf-7 ")
@example(folder="x", name="# ruff: noqa")
def test_every_output_is_the_same_but_for_the_name(folder: str, name: str) -> None:
    tree = generated(folder, name)
    assert tree.keys() == PLAIN.keys()
    for path, text in tree.items():
        if not path.endswith(".py"):
            continue
        data = text.encode()
        assert tokenize.detect_encoding(io.BytesIO(data).readline)[0] == "utf-8"
        assert ast.dump(ast.parse(data)) == ast.dump(ast.parse(PLAIN[path]))
        lines, plain = text.split("\n"), PLAIN[path].split("\n")
        assert len(lines) == len(plain)
        assert [line for line in lines if not line.startswith("# Source: ")] == [
            line for line in plain if not line.startswith("# Source: ")
        ]


@given(NAMES)
def test_a_comment_stays_one_comment(text: str) -> None:
    source = f"# {comment(text)}\nx = 1\n"
    assert len(source.splitlines()) == 2
    assert source.count("#") == 1
    assert ast.dump(ast.parse(f"\n\n{source}")) == ast.dump(ast.parse("x = 1"))


@given(NAMES)
def test_literals_and_docstrings_mean_the_text_itself(text: str) -> None:
    assert ast.literal_eval(literal(text)) == text
    module = ast.parse(f"{docstring(text, 0)}\nx = 1\n")
    assert len(module.body) == 2
    assert isinstance(module.body[0], ast.Expr)


@given(st.lists(NAMES, max_size=3), st.sampled_from(["\n", "\r", "\r\n", "\x0c\n"]))
@example(["# coding=utf-7"], "\n")
@example(["#", "# vim: set fileencoding=hex :"], "\r")
@example(["\ufeff"], "\n")
def test_files_that_python_would_read_in_another_encoding_are_found(lines: list[str], end: str) -> None:
    """`is_read_as_utf_8` is true only if Python's compiler decodes the bytes as UTF-8."""
    text = end.join([*lines, "x = 'é'", ""])
    if is_read_as_utf_8(text):
        assert tokenize.detect_encoding(io.BytesIO(text.encode()).readline)[0] == "utf-8"
        assert _parsed(text.encode()) == _parsed(text)


def _parsed(source: str | bytes) -> str | None:
    try:
        return ast.dump(ast.parse(source))
    except (SyntaxError, ValueError):
        return None
