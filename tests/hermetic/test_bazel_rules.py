"""The rules of examples/bazel declare the files that toolgen writes; `make bazel` runs them with the real Bazel."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from toolgen.cli import main
from toolgen.python_source.names import shared_module_name

BAZEL = Path(__file__).parents[2] / "examples" / "bazel"


def test_the_macro_names_modules_of_shared_schemas_as_toolgen_does() -> None:
    tree = ast.parse((BAZEL / "toolgen.bzl").read_text())
    wanted = {"_FOLDERS_OF_SCHEMAS", "_shared_module"}
    parts = [
        node
        for node in tree.body
        if wanted & {getattr(node, "name", ""), *map(ast.unparse, getattr(node, "targets", ()))}
    ]
    names: dict[str, Any] = {}
    exec(compile(ast.Module(parts, []), "toolgen.bzl", "exec"), names)
    for path in ("orders.yaml", "schemas/orders.yaml", "billing/common.yaml", "billing/types/line-items.yml"):
        assert names["_shared_module"](f"specs/{path}", "specs") == shared_module_name(path)


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
