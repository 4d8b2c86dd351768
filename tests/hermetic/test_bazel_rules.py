"""The rules of examples/bazel declare the files that toolgen writes; `make bazel` runs them with the real Bazel."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from toolgen.cli import main

BAZEL = Path(__file__).parents[2] / "examples" / "bazel"


def test_the_index_declares_a_module_for_each_target(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(
        r'"modules": attr\.string_list\(\s*default = (\[.*?\])', (BAZEL / "toolgen.bzl").read_text()
    )
    assert found
    assert main(["-C", str(BAZEL), "outputs", "--index"]) == 0
    written = {
        Path(line).stem
        for line in capsys.readouterr().out.split()
        if line.endswith(".py") and "/" not in line
    }
    assert {*ast.literal_eval(found[1]), "__init__", "catalog"} == written
